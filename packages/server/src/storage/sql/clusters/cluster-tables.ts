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
  /** JSON. */
  readonly choice: string
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
