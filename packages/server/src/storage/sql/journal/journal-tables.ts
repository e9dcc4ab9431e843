import type { MediaTables } from '../media/media-tables.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'

/** The journal's tables, and other tables that its transactions write. */
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

/**
 * In the words of SQLite: see render-tables.ts. A deleted trace stays marked after its rows are purged, for as long as
 * the journal holds an event of it.
 */
export const JOURNAL_SCHEMA = `
    CREATE TABLE journal_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version INTEGER NOT NULL,
      last_trace_id BLOB,
      head_position INTEGER NOT NULL,
      pruned_through INTEGER NOT NULL,
      confirmations INTEGER NOT NULL DEFAULT 0,
      id_lead_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO journal_state (only_row, version, head_position, pruned_through) VALUES (1, 0, 0, 0);

    CREATE TABLE journal (
      last_position INTEGER NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      committed_at INTEGER NOT NULL,
      events BLOB NOT NULL
    ) STRICT;
    CREATE INDEX journal_by_project ON journal (project_id, last_position);

    CREATE TABLE trace_keys (
      project_id BLOB NOT NULL,
      key BLOB NOT NULL,
      body_hash BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      PRIMARY KEY (project_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX whole_trace_keys ON trace_keys (trace_id) WHERE substr(key, 1, 1) = x'77';

    CREATE TABLE step_keys (
      trace_id BLOB NOT NULL,
      key BLOB NOT NULL,
      step_id BLOB NOT NULL,
      content_hash BLOB NOT NULL,
      PRIMARY KEY (trace_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE superseded_keys (
      project_id BLOB NOT NULL,
      until_version INTEGER NOT NULL,
      trace_id BLOB NOT NULL,
      from_version INTEGER NOT NULL,
      superseded_at INTEGER NOT NULL,
      duration_ms REAL,
      total_tokens INTEGER NOT NULL,
      step_count INTEGER NOT NULL,
      usage TEXT,
      PRIMARY KEY (project_id, until_version, trace_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE deleted_traces (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      through_position INTEGER NOT NULL DEFAULT 0,
      purged INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deleted_to_purge ON deleted_traces (trace_id) WHERE purged = 0;
    CREATE INDEX purged_marks ON deleted_traces (through_position) WHERE purged = 1;

    CREATE TABLE flag_reasons (
      trace_id BLOB NOT NULL,
      last_position INTEGER NOT NULL,
      PRIMARY KEY (trace_id, last_position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX flag_reasons_by_position ON flag_reasons (last_position);

    CREATE TABLE told_cluster_runs (
      run_id TEXT NOT NULL PRIMARY KEY,
      told_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE quiet_waits (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX quiet_waits_by_version ON quiet_waits (version);
`
