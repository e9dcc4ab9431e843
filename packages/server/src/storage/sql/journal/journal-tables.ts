import type { MonitorTables } from '../monitors/monitor-tables.ts'
import type { MediaTables } from '../media/media-tables.ts'
import type { TablesIn } from '../schema/tables-in.ts'

/**
 * In the words of SQLite: see render-tables.ts. A deleted trace stays marked after its rows are purged, for as long as
 * the journal holds an event of it.
 */
export const JOURNAL_SCHEMA = `
    -- One row. Ids are their 16 bytes, times milliseconds.
    CREATE TABLE journal_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version INTEGER NOT NULL,
      last_trace_id BLOB,
      head_position INTEGER NOT NULL,
      pruned_through INTEGER NOT NULL,
      confirmations INTEGER NOT NULL DEFAULT 0,
      id_lead_ms INTEGER NOT NULL DEFAULT 0,
      -- Of the keys that expire: its number, and since when keys are written with it.
      key_generation INTEGER NOT NULL DEFAULT 1,
      keys_since INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO journal_state (only_row, version, head_position, pruned_through) VALUES (1, 0, 0, 0);

    CREATE TABLE journal (
      last_position INTEGER NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      committed_at INTEGER NOT NULL,
      -- See event-encoding.ts.
      events BLOB NOT NULL
    ) STRICT;
    CREATE INDEX journal_by_project ON journal (project_id, last_position);

    CREATE TABLE trace_keys (
      -- Of a key that expires; 0 for others.
      generation INTEGER NOT NULL,
      project_id BLOB NOT NULL,
      -- See compact-key.ts.
      key BLOB NOT NULL,
      body_hash BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      PRIMARY KEY (generation, project_id, key)
    ) STRICT, WITHOUT ROWID;

    -- Of a step, or of a metric event: then step_id is the event's.
    CREATE TABLE step_keys (
      -- Of a key that expires; 0 for others.
      generation INTEGER NOT NULL,
      trace_id BLOB NOT NULL,
      -- See compact-key.ts.
      key BLOB NOT NULL,
      step_id BLOB NOT NULL,
      content_hash BLOB NOT NULL,
      PRIMARY KEY (generation, trace_id, key)
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
      -- JSON of ModelUsage[].
      usage TEXT,
      PRIMARY KEY (project_id, until_version, trace_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE deleted_traces (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      through_position INTEGER NOT NULL DEFAULT 0,
      -- 0 or 1.
      purged INTEGER NOT NULL DEFAULT 0,
      -- Milliseconds; 0: it cannot be restored.
      restorable_until INTEGER NOT NULL DEFAULT 0,
      -- 1: by retention.
      expired INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deleted_to_purge ON deleted_traces (trace_id) WHERE purged = 0;
    CREATE INDEX deleted_with_metrics ON deleted_traces (trace_id) WHERE purged = 0 AND expired = 0;
    CREATE INDEX purged_marks ON deleted_traces (through_position) WHERE purged = 1;

    -- A removed metric event, until its rows are gone from the telemetry store.
    CREATE TABLE removed_events (
      project_id BLOB NOT NULL,
      event_id BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      -- The commit that removed it.
      version INTEGER NOT NULL,
      PRIMARY KEY (project_id, event_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_events_by_version ON removed_events (version);

    -- A row of journal that holds text: of a trace, or made from several traces of a project.
    CREATE TABLE journal_texts (
      -- The trace or the project.
      content_of BLOB NOT NULL,
      last_position INTEGER NOT NULL,
      PRIMARY KEY (content_of, last_position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX journal_texts_by_position ON journal_texts (last_position);

    -- Something whose events are in the journal: see OnceEvents.
    CREATE TABLE emitted_once (
      key TEXT NOT NULL PRIMARY KEY,
      emitted_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- A trace that waits to become complete.
    CREATE TABLE quiet_waits (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      -- The commit that changed it last.
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX quiet_waits_by_version ON quiet_waits (version);
` as const

/** The journal's tables, and other tables that its transactions write. */
export interface JournalTables
  extends Omit<MediaTables, 'deleted_traces'>, MonitorTables, TablesIn<typeof JOURNAL_SCHEMA> {}
export type EventsRow = JournalTables['journal']
export type TraceKeyRow = JournalTables['trace_keys']
export type StepKeyRow = JournalTables['step_keys']
export type SupersededRow = JournalTables['superseded_keys']
export type DeletedRow = JournalTables['deleted_traces']
export type RemovedRow = JournalTables['removed_events']
export type QuietWaitRow = JournalTables['quiet_waits']
