import type { Migration } from '../control/migration.ts'

/**
 * Deliveries of all nodes. Ids are their 16 bytes, times milliseconds since 1970 UTC, codes those of
 * deliveries/delivery-codes.ts. `lease` is a number of its own for each time that a delivery was leased. A delivery
 * without one, or whose lease or node has ended, is free.
 */
export const deliveries: Migration = {
  version: 3,
  name: 'deliveries',
  statements: `
    CREATE TABLE delivery_state (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position BIGINT,
      last_place BIGINT NOT NULL,
      place_lead BIGINT NOT NULL
    );
    INSERT INTO delivery_state VALUES (1, NULL, 0, 0);

    CREATE TABLE delivery_nodes (
      node TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      until BIGINT NOT NULL
    );

    CREATE TABLE delivery_lanes (
      lane BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      webhook_id BYTEA NOT NULL UNIQUE,
      failing_since BIGINT,
      failures_in_a_row BIGINT NOT NULL
    );

    CREATE TABLE delivery_events (
      event BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      id BYTEA NOT NULL UNIQUE,
      project_id BYTEA NOT NULL,
      type BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      body BYTEA NOT NULL,
      trace_id TEXT COLLATE "C"
    );
    CREATE INDEX delivery_events_by_trace ON delivery_events (trace_id) WHERE trace_id IS NOT NULL;

    CREATE SEQUENCE delivery_leases;
    CREATE TABLE deliveries (
      place BIGINT NOT NULL PRIMARY KEY,
      id BYTEA NOT NULL UNIQUE,
      lane BIGINT NOT NULL,
      event BIGINT NOT NULL,
      type BIGINT NOT NULL,
      status BIGINT NOT NULL,
      reason TEXT COLLATE "C",
      created_at BIGINT NOT NULL,
      due_at BIGINT,
      schedule_started_at BIGINT NOT NULL,
      step BIGINT NOT NULL,
      step_due_at BIGINT,
      attempts BIGINT NOT NULL,
      last_response_status BIGINT,
      last_error TEXT COLLATE "C",
      last_attempt_at BIGINT,
      finished_at BIGINT,
      lease BIGINT,
      leased_by TEXT COLLATE "C",
      leased_until BIGINT
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
      delivery BIGINT NOT NULL,
      number BIGINT NOT NULL,
      lease BIGINT NOT NULL,
      started_at BIGINT NOT NULL,
      duration_ms DOUBLE PRECISION NOT NULL,
      url TEXT COLLATE "C" NOT NULL,
      request_headers TEXT COLLATE "C" NOT NULL,
      response_status BIGINT,
      response_headers TEXT COLLATE "C",
      response_body TEXT COLLATE "C",
      response_truncated BIGINT,
      error_code TEXT COLLATE "C",
      error_detail TEXT COLLATE "C",
      PRIMARY KEY (delivery, number),
      UNIQUE (delivery, lease)
    );
  `,
}
