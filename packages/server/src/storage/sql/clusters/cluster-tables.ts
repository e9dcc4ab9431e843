import type { TablesIn } from '../schema/tables-in.ts'

/**
 * In the words of SQLite: see render-tables.ts. `set_id` is the bytes of setToBytes, ids of traces are their
 * 16 bytes, other ids text, times milliseconds since 1970 UTC.
 */
export const CLUSTER_SCHEMA = `
    CREATE TABLE jobs (
      id TEXT NOT NULL PRIMARY KEY,
      set_id BLOB NOT NULL,
      lane TEXT NOT NULL DEFAULT 'short',
      status TEXT NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      -- 0 or 1.
      only_complete INTEGER NOT NULL DEFAULT 0,
      -- As parseFailureMeasure reads it.
      failure_by TEXT NOT NULL DEFAULT 'status',
      attempts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      error TEXT,
      -- JSON.
      result TEXT,
      epoch INTEGER NOT NULL DEFAULT 0,
      -- The process that took it last.
      holder TEXT,
      -- The end of the lease, while it runs.
      held_until INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX jobs_by_set ON jobs (set_id, id);
    CREATE UNIQUE INDEX jobs_open ON jobs (set_id) WHERE status IN ('queued', 'running');

    -- Filters with clusters of their own.
    CREATE TABLE cluster_selections (
      project_id BLOB NOT NULL,
      id BLOB NOT NULL,
      -- JSON.
      filters TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE schedules (
      set_id BLOB NOT NULL PRIMARY KEY,
      enabled INTEGER NOT NULL,
      every_hours INTEGER NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      -- 0 or 1.
      only_complete INTEGER NOT NULL DEFAULT 0,
      -- As parseFailureMeasure reads it.
      failure_by TEXT NOT NULL DEFAULT 'status',
      next_run_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE features (
      set_id BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      -- Of the trace.
      version INTEGER NOT NULL,
      embedder TEXT NOT NULL,
      -- Of the project when they were computed.
      input_path TEXT,
      -- Number of the template that the text is without.
      template INTEGER NOT NULL,
      features BLOB NOT NULL,
      -- JSON.
      excerpt TEXT NOT NULL,
      text TEXT,
      -- Of its vector; null before there is one.
      vector_key BLOB,
      UNIQUE (set_id, trace_id)
    ) STRICT;
    CREATE INDEX features_by_vector ON features (set_id, vector_key) WHERE vector_key IS NOT NULL;

    -- Text that many requests of a project share: see text/template.ts.
    CREATE TABLE templates (
      set_id BLOB NOT NULL PRIMARY KEY,
      number INTEGER NOT NULL,
      -- Uint32 in the byte order of the machine.
      runs BLOB NOT NULL
    ) STRICT;

    CREATE TABLE vectors (
      set_id BLOB NOT NULL,
      vector_key BLOB NOT NULL,
      source TEXT NOT NULL,
      dimension INTEGER NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE (set_id, vector_key)
    ) STRICT;
    CREATE INDEX vectors_by_source ON vectors (set_id, source, dimension);

    CREATE TABLE bases (
      set_id BLOB NOT NULL PRIMARY KEY,
      fit INTEGER NOT NULL,
      basis BLOB NOT NULL
    ) STRICT;

    CREATE TABLE runs (
      -- Grows from run to run.
      run NUMBERED NOT NULL PRIMARY KEY,
      -- Of its job.
      id TEXT NOT NULL UNIQUE,
      set_id BLOB NOT NULL,
      computed_at INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      -- 0 or 1.
      only_complete INTEGER NOT NULL DEFAULT 0,
      -- As parseFailureMeasure reads it.
      failure_by TEXT NOT NULL DEFAULT 'status',
      traces INTEGER NOT NULL,
      created INTEGER NOT NULL,
      shifted INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      embedder_version TEXT NOT NULL,
      cohesion REAL NOT NULL,
      silhouette REAL NOT NULL,
      refused_gain REAL NOT NULL,
      -- Float32 in the byte order of the machine, as all vectors of runs.
      centroids BLOB NOT NULL,
      reaches BLOB NOT NULL,
      map_directions BLOB NOT NULL,
      map_centre BLOB NOT NULL,
      map_scale REAL NOT NULL,
      assigned_through BLOB NOT NULL,
      -- Ids of some of its traces, one after the other.
      sampled BLOB NOT NULL,
      -- JSON.
      news TEXT NOT NULL,
      told INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_set ON runs (set_id, run);
    CREATE INDEX runs_untold ON runs (run) WHERE told = 0;

    CREATE TABLE clusters (
      run INTEGER NOT NULL,
      -- Its index in the run.
      place INTEGER NOT NULL,
      id TEXT NOT NULL,
      label TEXT NOT NULL,
      description TEXT NOT NULL,
      -- JSON.
      keywords TEXT NOT NULL,
      -- The name of its topic.
      parent TEXT,
      color TEXT NOT NULL,
      judged INTEGER NOT NULL,
      error_rate REAL NOT NULL,
      -- As the run found it.
      size INTEGER NOT NULL,
      -- Now.
      members INTEGER NOT NULL,
      cohesion REAL NOT NULL,
      is_mixed INTEGER NOT NULL,
      first_seen_at INTEGER NOT NULL,
      -- JSON.
      representatives TEXT NOT NULL,
      named_by TEXT,
      PRIMARY KEY (run, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE members (
      run INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      trace_id BLOB NOT NULL,
      -- Of its cluster; -1: it arrived after the run and fits none.
      place INTEGER NOT NULL,
      -- Null for members that arrived after the run.
      x REAL,
      y REAL,
      PRIMARY KEY (run, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX members_by_trace ON members (run, trace_id);
    CREATE INDEX members_by_cluster ON members (run, place, trace_id);

    -- A label that somebody gave to a cluster.
    CREATE TABLE cluster_labels (
      set_id BLOB NOT NULL,
      cluster_id TEXT NOT NULL,
      label TEXT NOT NULL,
      PRIMARY KEY (set_id, cluster_id)
    ) STRICT, WITHOUT ROWID;
` as const

export type ClusterTables = TablesIn<typeof CLUSTER_SCHEMA>
export interface OfSet {
  readonly setId: Uint8Array
}
export interface OfRun {
  readonly run: number
}
/** What a run, a job and a schedule are asked for. */
export type ParametersRow = Pick<RunRow, 'window_hours' | 'k_min' | 'k_max' | 'only_complete' | 'failure_by'>
export type JobRow = ClusterTables['jobs']
export type SelectionRow = ClusterTables['cluster_selections']
export type ScheduleRow = ClusterTables['schedules']
export type FeatureRow = ClusterTables['features']
export type TemplateRow = ClusterTables['templates']
export type BasisRow = ClusterTables['bases']
export type VectorRow = ClusterTables['vectors']
export type RunRow = ClusterTables['runs']
export type ClusterRow = ClusterTables['clusters']
export type MemberRow = ClusterTables['members']
export type ClusterLabelRow = ClusterTables['cluster_labels']

/** Without them SQLite takes a run for a few rows, and walks all of them to find a list of traces. */
export const SQLITE_MEMBER_STATISTICS = `
    ANALYZE sqlite_schema;
    INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
      ('members', 'members', '1000000 100000 1'),
      ('members', 'members_by_trace', '1000000 100000 1'),
      ('members', 'members_by_cluster', '1000000 100000 10000 1');
    ANALYZE sqlite_schema;
`
