import type { TablesIn } from '../schema/tables-in.ts'

/**
 * In the words of SQLite: see render-tables.ts. Ids are their 16 bytes, times milliseconds since 1970 UTC, codes those
 * of delivery-codes.ts.
 */
export const DELIVERY_SCHEMA = `
    -- One row.
    CREATE TABLE delivery_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position INTEGER,
      -- Greater places are free.
      last_place INTEGER NOT NULL,
      -- See places.ts.
      place_lead INTEGER NOT NULL
    ) STRICT;
    INSERT INTO delivery_state VALUES (1, NULL, 0, 0);

    CREATE TABLE delivery_nodes (
      node TEXT NOT NULL PRIMARY KEY,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE delivery_lanes (
      lane NUMBERED NOT NULL PRIMARY KEY,
      webhook_id BLOB NOT NULL UNIQUE,
      failing_since INTEGER,
      failures_in_a_row INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE delivery_events (
      event NUMBERED NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      project_id BLOB NOT NULL,
      type INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      -- Empty once the content was deleted.
      body BLOB NOT NULL,
      -- The trace whose content is in the body, or the project if it is made from several traces.
      content_of TEXT
    ) STRICT;
    CREATE INDEX delivery_events_by_content ON delivery_events (content_of) WHERE content_of IS NOT NULL;

    CREATE TABLE deliveries (
      place INTEGER NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      lane INTEGER NOT NULL,
      event INTEGER NOT NULL,
      type INTEGER NOT NULL,
      status INTEGER NOT NULL,
      reason TEXT,
      created_at INTEGER NOT NULL,
      -- Null unless pending.
      due_at INTEGER,
      schedule_started_at INTEGER NOT NULL,
      step INTEGER NOT NULL,
      step_due_at INTEGER,
      attempts INTEGER NOT NULL,
      last_response_status INTEGER,
      last_error TEXT,
      last_attempt_at INTEGER,
      -- Null while pending.
      finished_at INTEGER,
      -- How often it was leased: the number of its last lease.
      leases INTEGER NOT NULL,
      -- The node that has leased it; null if none has.
      leased_by TEXT,
      leased_until INTEGER
    ) STRICT;
    CREATE INDEX deliveries_by_lane ON deliveries (lane, status, type, place);
    CREATE INDEX deliveries_by_event ON deliveries (event);
    CREATE INDEX deliveries_due ON deliveries (lane, due_at, place) WHERE status = 0;
    CREATE INDEX deliveries_next ON deliveries (due_at, place) WHERE status = 0 AND leased_by IS NULL;
    CREATE INDEX deliveries_leased ON deliveries (lane) WHERE leased_by IS NOT NULL;
    CREATE INDEX deliveries_by_start ON deliveries (schedule_started_at, place) WHERE status = 0;
    CREATE INDEX deliveries_tried ON deliveries (schedule_started_at, place)
      WHERE status = 0 AND (step > 0 OR step_due_at IS NOT NULL);
    CREATE INDEX deliveries_finished ON deliveries (finished_at, place) WHERE finished_at IS NOT NULL;

    CREATE TABLE delivery_attempts (
      -- The place of the delivery.
      delivery INTEGER NOT NULL,
      number INTEGER NOT NULL,
      -- Of the delivery's leases, the one under which the attempt was made.
      lease INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      duration_ms REAL NOT NULL,
      -- Sealed text, as are the headers and body of the response: they may repeat the URL.
      url TEXT NOT NULL,
      -- JSON.
      request_headers TEXT NOT NULL,
      response_status INTEGER,
      response_headers TEXT,
      response_body TEXT,
      -- 0 or 1.
      response_truncated INTEGER,
      error_code TEXT,
      error_detail TEXT,
      PRIMARY KEY (delivery, number)
    ) STRICT, WITHOUT ROWID;
` as const

export type DeliveryTables = TablesIn<typeof DELIVERY_SCHEMA>
export type DeliveryStateRow = Omit<DeliveryTables['delivery_state'], 'only_row'>
export type LaneRow = DeliveryTables['delivery_lanes']
/** What attempts change in a delivery. */
export type DeliveryProgress = Omit<
  DeliveryTables['deliveries'],
  'place' | 'id' | 'lane' | 'event' | 'type' | 'created_at' | 'leases'
>
export type AttemptRow = DeliveryTables['delivery_attempts']
