import type { MediaTables } from '../media/media-tables.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'

/** The journal's tables, and those whose rows its transactions also write. */
export interface JournalTables extends Omit<MediaTables, 'deleted_traces'>, MonitorTables {
  journal_state: StateRow
  journal: EventsRow
  trace_keys: TraceKeyRow
  step_keys: StepKeyRow
  superseded_keys: SupersededRow
  deleted_traces: DeletedRow
  flag_reasons: FlagReasonRow
  told_cluster_runs: ClusterRunRow
  quiet_waits: QuietWaitRow
}

/** One row. Ids are their 16 bytes, times milliseconds. */
interface StateRow {
  readonly version: number
  readonly last_trace_id: Uint8Array | null
  readonly head_position: number
  readonly pruned_through: number
  readonly confirmations: number
  readonly id_lead_ms: number
}

export interface EventsRow {
  readonly last_position: number
  readonly project_id: Uint8Array
  readonly committed_at: number
  /** See event-encoding.ts. */
  readonly events: Uint8Array
}

export interface TraceKeyRow {
  readonly project_id: Uint8Array
  /** See compact-key.ts. */
  readonly key: Uint8Array
  readonly body_hash: Uint8Array
  readonly trace_id: Uint8Array
}

/** Of a step, or of a metric event: then `step_id` is the event's. */
export interface StepKeyRow {
  readonly trace_id: Uint8Array
  /** See compact-key.ts. */
  readonly key: Uint8Array
  readonly step_id: Uint8Array
  readonly content_hash: Uint8Array
}

export interface SupersededRow {
  readonly project_id: Uint8Array
  readonly until_version: number
  readonly trace_id: Uint8Array
  readonly from_version: number
  readonly superseded_at: number
  readonly duration_ms: number | null
  readonly total_tokens: number
  readonly step_count: number
  /** JSON of `ModelUsage[]`. */
  readonly usage: string | null
}

export interface DeletedRow {
  readonly trace_id: Uint8Array
  readonly project_id: Uint8Array
  readonly through_position: number
  /** 0 or 1. */
  readonly purged: number
}

/** A row of `journal` that holds a reason for flagging the trace. */
interface FlagReasonRow {
  readonly trace_id: Uint8Array
  readonly last_position: number
}

/** A cluster discovery whose events are in the journal. */
interface ClusterRunRow {
  readonly run_id: string
  readonly told_at: number
}

/** A trace that waits to become complete. */
export interface QuietWaitRow {
  readonly trace_id: Uint8Array
  readonly project_id: Uint8Array
  /** The commit that changed it last. */
  readonly version: number
}
