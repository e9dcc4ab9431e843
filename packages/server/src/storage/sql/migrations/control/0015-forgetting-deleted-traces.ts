import type { Migration } from './migration.ts'

/**
 * How what a deleted trace left in the control store is found. Keys of traces are stored as hashes from here on; those
 * stored whole before are hashed when their trace is purged. `flag_reasons`: the rows of the journal that hold a reason
 * somebody gave for flagging the trace.
 */
export const forgettingDeletedTraces: Migration = {
  version: 15,
  name: 'content of deleted traces is found by their ids',
  statements: `
    CREATE INDEX whole_trace_keys ON trace_keys (trace_id) WHERE substr(key, 1, 1) = x'77';
    CREATE INDEX direct_uploads_by_trace ON direct_uploads (trace_id) WHERE filename IS NOT NULL;
    CREATE TABLE flag_reasons (
      trace_id BLOB NOT NULL,
      last_position INTEGER NOT NULL,
      PRIMARY KEY (trace_id, last_position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX flag_reasons_by_position ON flag_reasons (last_position);
  `,
}
