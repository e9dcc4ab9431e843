import type { Generated } from 'kysely'

/** Ids are their 16 bytes, times milliseconds since 1970 UTC, codes those of delivery-codes.ts. */
export interface DeliveryTables {
  delivery_state: DeliveryStateRow
  delivery_nodes: { readonly node: string; readonly until: number }
  delivery_lanes: LaneRow
  delivery_events: EventRow
  deliveries: DeliveryRow
  delivery_attempts: AttemptRow
}

/** One row. */
export interface DeliveryStateRow {
  readonly position: number | null
  /** Greater places are free. */
  readonly last_place: number
  /** See places.ts. */
  readonly place_lead: number
}

export interface LaneRow {
  readonly lane: Generated<number>
  readonly webhook_id: Uint8Array
  readonly failing_since: number | null
  readonly failures_in_a_row: number
}

interface EventRow {
  readonly event: Generated<number>
  readonly id: Uint8Array
  readonly project_id: Uint8Array
  readonly type: number
  readonly created_at: number
  /** Empty once the trace was purged. */
  readonly body: Uint8Array
  readonly trace_id: string | null
}

/** What attempts change in a delivery. */
export interface DeliveryProgress {
  readonly status: number
  readonly reason: string | null
  /** Null unless pending. */
  readonly due_at: number | null
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
  readonly attempts: number
  readonly last_response_status: number | null
  readonly last_error: string | null
  readonly last_attempt_at: number | null
  /** Null while pending. */
  readonly finished_at: number | null
  /** The node that has leased it; null if none has. */
  readonly leased_by: string | null
  readonly leased_until: number | null
}

interface DeliveryRow extends DeliveryProgress {
  readonly place: number
  readonly id: Uint8Array
  readonly lane: number
  readonly event: number
  readonly type: number
  readonly created_at: number
  /** How often it was leased: the number of its last lease. */
  readonly leases: number
}

export interface AttemptRow {
  /** The place of the delivery. */
  readonly delivery: number
  readonly number: number
  /** Of the delivery's leases, the one under which the attempt was made. */
  readonly lease: number
  readonly started_at: number
  readonly duration_ms: number
  /** Sealed text, as are the headers and body of the response: they may repeat the URL. */
  readonly url: string
  /** JSON. */
  readonly request_headers: string
  readonly response_status: number | null
  readonly response_headers: string | null
  readonly response_body: string | null
  /** 0 or 1. */
  readonly response_truncated: number | null
  readonly error_code: string | null
  readonly error_detail: string | null
}

/** In the words of SQLite: see render-tables.ts. */
export const DELIVERY_SCHEMA = `
    CREATE TABLE delivery_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position INTEGER,
      last_place INTEGER NOT NULL,
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
      body BLOB NOT NULL,
      trace_id TEXT
    ) STRICT;
    CREATE INDEX delivery_events_by_trace ON delivery_events (trace_id) WHERE trace_id IS NOT NULL;

    CREATE TABLE deliveries (
      place INTEGER NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      lane INTEGER NOT NULL,
      event INTEGER NOT NULL,
      type INTEGER NOT NULL,
      status INTEGER NOT NULL,
      reason TEXT,
      created_at INTEGER NOT NULL,
      due_at INTEGER,
      schedule_started_at INTEGER NOT NULL,
      step INTEGER NOT NULL,
      step_due_at INTEGER,
      attempts INTEGER NOT NULL,
      last_response_status INTEGER,
      last_error TEXT,
      last_attempt_at INTEGER,
      finished_at INTEGER,
      leases INTEGER NOT NULL,
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
      delivery INTEGER NOT NULL,
      number INTEGER NOT NULL,
      lease INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      duration_ms REAL NOT NULL,
      url TEXT NOT NULL,
      request_headers TEXT NOT NULL,
      response_status INTEGER,
      response_headers TEXT,
      response_body TEXT,
      response_truncated INTEGER,
      error_code TEXT,
      error_detail TEXT,
      PRIMARY KEY (delivery, number)
    ) STRICT, WITHOUT ROWID;
`
