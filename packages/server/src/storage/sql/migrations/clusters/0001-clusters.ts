import type { Migration } from '../control/migration.ts'

/**
 * Ids of traces and projects are the 16 bytes behind their text, other ids text, times milliseconds since 1970 UTC,
 * vectors float32 in the order of the machine.
 */
export const clusters: Migration = {
  version: 1,
  name: 'discoveries, their jobs and what they are made from',
  statements: `
    CREATE TABLE jobs (
      id TEXT NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      status TEXT NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      error TEXT,
      result TEXT                    -- JSON
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX jobs_by_project ON jobs (project_id, id);
    CREATE UNIQUE INDEX jobs_open ON jobs (project_id) WHERE status IN ('queued', 'running');

    CREATE TABLE schedules (
      project_id BLOB NOT NULL PRIMARY KEY,
      enabled INTEGER NOT NULL,
      every_hours INTEGER NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      next_run_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE features (
      project_id BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      version INTEGER NOT NULL,      -- of the trace
      embedder TEXT NOT NULL,        -- the code that made them
      features BLOB NOT NULL,
      excerpt TEXT NOT NULL,         -- JSON: what names are made from
      UNIQUE (project_id, trace_id)
    ) STRICT;

    CREATE TABLE bases (
      project_id BLOB NOT NULL PRIMARY KEY,
      fit INTEGER NOT NULL,          -- counts them
      basis BLOB NOT NULL
    ) STRICT;

    CREATE TABLE runs (
      run INTEGER NOT NULL PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,       -- of its job
      project_id BLOB NOT NULL,
      computed_at INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      traces INTEGER NOT NULL,
      created INTEGER NOT NULL,
      shifted INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      embedder_version TEXT NOT NULL,
      cohesion REAL NOT NULL,
      silhouette REAL NOT NULL,
      refused_gain REAL NOT NULL,
      choice TEXT NOT NULL,          -- JSON: what the number of clusters was chosen from
      centroids BLOB NOT NULL,       -- one row for each cluster
      reaches BLOB NOT NULL,         -- how near to its centroid a trace is to be, by cluster
      map_directions BLOB NOT NULL,
      map_centre BLOB NOT NULL,
      map_scale REAL NOT NULL,
      assigned_through BLOB NOT NULL,
      news TEXT NOT NULL,            -- JSON
      told INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_project ON runs (project_id, run);
    CREATE INDEX runs_untold ON runs (run) WHERE told = 0;

    CREATE TABLE clusters (
      run INTEGER NOT NULL,
      place INTEGER NOT NULL,        -- its index in the run
      id TEXT NOT NULL,
      label TEXT NOT NULL,
      description TEXT NOT NULL,
      keywords TEXT NOT NULL,        -- JSON
      color TEXT NOT NULL,
      error_rate REAL NOT NULL,
      size INTEGER NOT NULL,         -- as the run found it
      members INTEGER NOT NULL,      -- now
      cohesion REAL NOT NULL,
      first_seen_at INTEGER NOT NULL,
      representatives TEXT NOT NULL, -- JSON
      PRIMARY KEY (run, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE members (
      run INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,      -- in an order of chance that is the same in each run
      trace_id BLOB NOT NULL,
      place INTEGER NOT NULL,        -- of its cluster
      x REAL,                        -- null of those that came after the run
      y REAL,
      PRIMARY KEY (run, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX members_by_trace ON members (run, trace_id);
    CREATE INDEX members_by_cluster ON members (run, place, trace_id);
  `,
}
