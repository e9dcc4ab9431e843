import type { Generated } from 'kysely'

/** The tables of deliveries.db. Ids are their 16 bytes, times milliseconds, codes those of delivery-codes.ts. */
export interface DeliveryRows {
  state: StateRow
  lanes: LaneRow
  events: EventRow
  deliveries: DeliveryRow
  attempts: AttemptRow
}

/** One row. */
interface StateRow {
  readonly position: number | null
  /** See places.ts. */
  readonly place_lead: number
}

interface LaneRow {
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
  /** How many deliveries there are: the event is deleted with the last. */
  readonly deliveries: number
  /** Empty once the trace was purged. */
  readonly body: Uint8Array
  readonly trace_id: string | null
}

interface DeliveryRow {
  readonly place: number
  readonly id: Uint8Array
  readonly lane: number
  readonly event: number
  readonly type: number
  readonly status: number
  readonly reason: string | null
  readonly created_at: number
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
}

export interface AttemptRow {
  /** The place of the delivery. */
  readonly delivery: number
  readonly number: number
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

/** Of `deliveries.db`. Numbers of lanes are never given again: leases of one that has gone may be under way. */
export const DELIVERY_SCHEMA = `
    CREATE TABLE state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position INTEGER,
      place_lead INTEGER NOT NULL
    ) STRICT;
    INSERT INTO state VALUES (1, NULL, 0);

    CREATE TABLE lanes (
      lane INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
      webhook_id BLOB NOT NULL UNIQUE,
      failing_since INTEGER,
      failures_in_a_row INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE events (
      event INTEGER NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      project_id BLOB NOT NULL,
      type INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      deliveries INTEGER NOT NULL,
      body BLOB NOT NULL,
      trace_id TEXT
    ) STRICT;
    CREATE INDEX events_by_trace ON events (trace_id) WHERE trace_id IS NOT NULL;

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
      finished_at INTEGER
    ) STRICT;
    CREATE INDEX deliveries_by_lane ON deliveries (lane, status, type);
    CREATE INDEX deliveries_by_event ON deliveries (event);
    CREATE INDEX deliveries_due ON deliveries (lane, due_at) WHERE status = 0;
    CREATE INDEX deliveries_by_start ON deliveries (schedule_started_at) WHERE status = 0;
    CREATE INDEX deliveries_tried ON deliveries (schedule_started_at)
      WHERE status = 0 AND (step > 0 OR step_due_at IS NOT NULL);
    CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

    CREATE TABLE attempts (
      delivery INTEGER NOT NULL,
      number INTEGER NOT NULL,
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
