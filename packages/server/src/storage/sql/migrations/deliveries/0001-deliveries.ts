import type { Migration } from '../control/migration.ts'

/** Ids are the 16 bytes behind their text, times milliseconds since 1970 UTC, codes those of delivery-codes.ts. */
export const deliveries: Migration = {
  version: 1,
  name: 'events, their deliveries and attempts',
  statements: `
    CREATE TABLE state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      position INTEGER,
      place_lead INTEGER NOT NULL    -- see places.ts
    ) STRICT;
    INSERT INTO state VALUES (1, NULL, 0);

    CREATE TABLE lanes (
      lane INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- never given again: leases of a lane that went may be under way
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
      deliveries INTEGER NOT NULL,   -- how many there are: the event goes with the last
      body BLOB NOT NULL
    ) STRICT;

    CREATE TABLE deliveries (
      place INTEGER NOT NULL PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      lane INTEGER NOT NULL,
      event INTEGER NOT NULL,
      type INTEGER NOT NULL,
      status INTEGER NOT NULL,
      reason TEXT,
      created_at INTEGER NOT NULL,
      due_at INTEGER,                -- null unless pending
      schedule_started_at INTEGER NOT NULL,
      step INTEGER NOT NULL,
      step_due_at INTEGER,
      attempts INTEGER NOT NULL,
      last_response_status INTEGER,
      last_error TEXT,
      last_attempt_at INTEGER,
      finished_at INTEGER            -- null while pending
    ) STRICT;
    CREATE INDEX deliveries_by_lane ON deliveries (lane, status, type);
    CREATE INDEX deliveries_due ON deliveries (lane, due_at) WHERE status = 0;
    CREATE INDEX deliveries_by_start ON deliveries (schedule_started_at) WHERE status = 0;
    CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

    CREATE TABLE attempts (
      delivery INTEGER NOT NULL,     -- its place
      number INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      duration_ms REAL NOT NULL,
      url TEXT NOT NULL,
      request_headers TEXT NOT NULL, -- JSON
      response_status INTEGER,
      response_headers TEXT,         -- JSON
      response_body TEXT,
      response_truncated INTEGER,
      error_code TEXT,
      error_detail TEXT,
      PRIMARY KEY (delivery, number)
    ) STRICT, WITHOUT ROWID;
  `,
}
