import type { Generated } from 'kysely'

/** Ids of traces and projects are their 16 bytes, other ids text, times milliseconds since 1970 UTC. */
export interface ClusterTables {
  jobs: JobRow
  schedules: ScheduleRow
  features: FeatureRow
  bases: BasisRow
  vectors: VectorRow
  runs: RunRow
  clusters: ClusterRow
  members: MemberRow
  cluster_labels: ClusterLabelRow
}

export interface ParametersRow {
  readonly window_hours: number
  readonly k_min: number
  readonly k_max: number
  /** 0 or 1. */
  readonly only_complete: number
  /** As `parseFailureMeasure` reads it. */
  readonly failure_by: string
}

export interface JobRow extends ParametersRow {
  readonly id: string
  readonly project_id: Uint8Array
  readonly lane: string
  readonly status: string
  readonly attempts: number
  readonly created_at: number
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly error: string | null
  /** JSON. */
  readonly result: string | null
  readonly epoch: number
  /** The process that took it last. */
  readonly holder: string | null
  /** The end of the lease, while it runs. */
  readonly held_until: number | null
}

export interface ScheduleRow extends ParametersRow {
  readonly project_id: Uint8Array
  readonly enabled: number
  readonly every_hours: number
  readonly next_run_at: number | null
}

export interface FeatureRow {
  readonly project_id: Uint8Array
  readonly trace_id: Uint8Array
  /** Of the trace. */
  readonly version: number
  readonly embedder: string
  readonly features: Uint8Array
  /** JSON. */
  readonly excerpt: string
  readonly text: string | null
  /** Of its vector; null before there is one. */
  readonly vector_key: Uint8Array | null
}

export interface BasisRow {
  readonly project_id: Uint8Array
  readonly fit: number
  readonly basis: Uint8Array
}

export interface VectorRow {
  readonly project_id: Uint8Array
  readonly vector_key: Uint8Array
  readonly source: string
  readonly dimension: number
  readonly vector: Uint8Array
}

export interface RunRow extends ParametersRow {
  /** Grows from run to run. */
  readonly run: Generated<number>
  /** Of its job. */
  readonly id: string
  readonly project_id: Uint8Array
  readonly computed_at: number
  readonly duration_ms: number
  readonly traces: number
  readonly created: number
  readonly shifted: number
  readonly ended: number
  readonly embedder_version: string
  readonly cohesion: number
  readonly silhouette: number
  readonly refused_gain: number
  /** Float32 in the byte order of the machine, as all vectors of runs. */
  readonly centroids: Uint8Array
  readonly reaches: Uint8Array
  readonly map_directions: Uint8Array
  readonly map_centre: Uint8Array
  readonly map_scale: number
  readonly assigned_through: Uint8Array
  /** JSON. */
  readonly news: string
  readonly told: number
}

export interface ClusterRow {
  readonly run: number
  /** Its index in the run. */
  readonly place: number
  readonly id: string
  readonly label: string
  readonly description: string
  /** JSON. */
  readonly keywords: string
  readonly color: string
  readonly error_rate: number
  /** As the run found it. */
  readonly size: number
  /** Now. */
  readonly members: number
  readonly cohesion: number
  readonly is_mixed: number
  readonly first_seen_at: number
  /** JSON. */
  readonly representatives: string
  readonly named_by: string | null
}

/** A label that somebody gave to a cluster. */
export interface ClusterLabelRow {
  readonly project_id: Uint8Array
  readonly cluster_id: string
  readonly label: string
}

export interface MemberRow {
  readonly run: number
  readonly ordinal: number
  readonly trace_id: Uint8Array
  /** Of its cluster. */
  readonly place: number
  /** Null for members that arrived after the run. */
  readonly x: number | null
  readonly y: number | null
}

/** In the words of SQLite: see render-tables.ts. */
export const CLUSTER_SCHEMA = `
    CREATE TABLE jobs (
      id TEXT NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      lane TEXT NOT NULL DEFAULT 'short',
      status TEXT NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      only_complete INTEGER NOT NULL DEFAULT 0,
      failure_by TEXT NOT NULL DEFAULT 'status',
      attempts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      error TEXT,
      result TEXT,
      epoch INTEGER NOT NULL DEFAULT 0,
      holder TEXT,
      held_until INTEGER
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
      only_complete INTEGER NOT NULL DEFAULT 0,
      failure_by TEXT NOT NULL DEFAULT 'status',
      next_run_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE features (
      project_id BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      version INTEGER NOT NULL,
      embedder TEXT NOT NULL,
      features BLOB NOT NULL,
      excerpt TEXT NOT NULL,
      text TEXT,
      vector_key BLOB,
      UNIQUE (project_id, trace_id)
    ) STRICT;
    CREATE INDEX features_by_vector ON features (project_id, vector_key) WHERE vector_key IS NOT NULL;

    CREATE TABLE vectors (
      project_id BLOB NOT NULL,
      vector_key BLOB NOT NULL,
      source TEXT NOT NULL,
      dimension INTEGER NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE (project_id, vector_key)
    ) STRICT;
    CREATE INDEX vectors_by_source ON vectors (project_id, source, dimension);

    CREATE TABLE bases (
      project_id BLOB NOT NULL PRIMARY KEY,
      fit INTEGER NOT NULL,
      basis BLOB NOT NULL
    ) STRICT;

    CREATE TABLE runs (
      run NUMBERED NOT NULL PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      project_id BLOB NOT NULL,
      computed_at INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      window_hours INTEGER NOT NULL,
      k_min INTEGER NOT NULL,
      k_max INTEGER NOT NULL,
      only_complete INTEGER NOT NULL DEFAULT 0,
      failure_by TEXT NOT NULL DEFAULT 'status',
      traces INTEGER NOT NULL,
      created INTEGER NOT NULL,
      shifted INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      embedder_version TEXT NOT NULL,
      cohesion REAL NOT NULL,
      silhouette REAL NOT NULL,
      refused_gain REAL NOT NULL,
      centroids BLOB NOT NULL,
      reaches BLOB NOT NULL,
      map_directions BLOB NOT NULL,
      map_centre BLOB NOT NULL,
      map_scale REAL NOT NULL,
      assigned_through BLOB NOT NULL,
      news TEXT NOT NULL,
      told INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_project ON runs (project_id, run);
    CREATE INDEX runs_untold ON runs (run) WHERE told = 0;

    CREATE TABLE clusters (
      run INTEGER NOT NULL,
      place INTEGER NOT NULL,
      id TEXT NOT NULL,
      label TEXT NOT NULL,
      description TEXT NOT NULL,
      keywords TEXT NOT NULL,
      color TEXT NOT NULL,
      error_rate REAL NOT NULL,
      size INTEGER NOT NULL,
      members INTEGER NOT NULL,
      cohesion REAL NOT NULL,
      is_mixed INTEGER NOT NULL,
      first_seen_at INTEGER NOT NULL,
      representatives TEXT NOT NULL,
      named_by TEXT,
      PRIMARY KEY (run, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE members (
      run INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      trace_id BLOB NOT NULL,
      place INTEGER NOT NULL,
      x REAL,
      y REAL,
      PRIMARY KEY (run, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX members_by_trace ON members (run, trace_id);
    CREATE INDEX members_by_cluster ON members (run, place, trace_id);

    CREATE TABLE cluster_labels (
      project_id BLOB NOT NULL,
      cluster_id TEXT NOT NULL,
      label TEXT NOT NULL,
      PRIMARY KEY (project_id, cluster_id)
    ) STRICT, WITHOUT ROWID;
`

/** Without them SQLite takes a run for a few rows, and walks all of them to find a list of traces. */
export const SQLITE_MEMBER_STATISTICS = `
    ANALYZE sqlite_schema;
    INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
      ('members', 'members', '1000000 100000 1'),
      ('members', 'members_by_trace', '1000000 100000 1'),
      ('members', 'members_by_cluster', '1000000 100000 10000 1');
    ANALYZE sqlite_schema;
`
