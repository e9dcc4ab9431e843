import { type RawBuilder, sql } from 'kysely'
import type { AttemptRow, DeliveryRows } from '../deliveries/delivery-rows.ts'

/** The tables of deliveries in PostgreSQL that Kysely builds statements for. */
export interface PostgresqlDeliveryTables {
  /** Without the columns of leases, which only raw statements use. */
  deliveries: DeliveryRows['deliveries']
  delivery_attempts: AttemptRow & { readonly lease: number }
}

/** The state of a delivery with its lease; times milliseconds, codes those of delivery-codes.ts. */
export interface DeliveryState {
  readonly place: number
  readonly lane: number
  readonly status: number
  readonly reason: string | null
  readonly due_at: number | null
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
  readonly attempts: number
  readonly last_response_status: number | null
  readonly last_error: string | null
  readonly last_attempt_at: number | null
  readonly finished_at: number | null
  /** Null: not leased. */
  readonly lease: number | null
  readonly leased_by: string | null
  readonly leased_until: number | null
}

/** Whether nobody has the delivery `d`: it has no lease, or the lease has ended, or that of its node. */
export function isFree(now: number): RawBuilder<boolean> {
  return sql`(d.lease IS NULL OR d.leased_until <= ${now} OR NOT EXISTS (
    SELECT 1 FROM delivery_nodes n WHERE n.node = d.leased_by AND n.until > ${now}))`
}

/** Members of a list of integers, bound as one text: `1,2,3`. */
export function inList(integers: string): RawBuilder<unknown> {
  return sql`= ANY (string_to_array(${integers}, ',')::bigint[])`
}

export const NO_LEASE: RawBuilder<unknown> = sql`lease = NULL, leased_by = NULL, leased_until = NULL`

/**
 * Of all nodes, in the words of SQLite: see render-tables.ts. `lease` is a number of its own for each time that a
 * delivery was leased; one without a lease, or whose lease or node has ended, is free.
 */
export const POSTGRESQL_DELIVERY_SCHEMA = `
    CREATE TABLE delivery_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position INTEGER,
      last_place INTEGER NOT NULL,
      place_lead INTEGER NOT NULL
    );
    INSERT INTO delivery_state VALUES (1, NULL, 0, 0);

    CREATE TABLE delivery_nodes (
      node TEXT NOT NULL PRIMARY KEY,
      until INTEGER NOT NULL
    );

    CREATE TABLE delivery_lanes (
      lane NUMBERED NOT NULL PRIMARY KEY,
      webhook_id BLOB NOT NULL UNIQUE,
      failing_since INTEGER,
      failures_in_a_row INTEGER NOT NULL
    );

    CREATE TABLE delivery_events (
      event NUMBERED NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      project_id BLOB NOT NULL,
      type INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      body BLOB NOT NULL,
      trace_id TEXT
    );
    CREATE INDEX delivery_events_by_trace ON delivery_events (trace_id) WHERE trace_id IS NOT NULL;

    CREATE SEQUENCE delivery_leases;
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
      lease INTEGER,
      leased_by TEXT,
      leased_until INTEGER
    );
    CREATE INDEX deliveries_by_lane ON deliveries (lane, status, type, place);
    CREATE INDEX deliveries_by_event ON deliveries (event);
    CREATE INDEX deliveries_due ON deliveries (lane, due_at, place) WHERE status = 0;
    CREATE INDEX deliveries_next ON deliveries (due_at) WHERE status = 0;
    CREATE INDEX deliveries_leased ON deliveries (lane) WHERE lease IS NOT NULL;
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
      PRIMARY KEY (delivery, number),
      UNIQUE (delivery, lease)
    );
`
