import type { Migration } from './migration.ts'

/**
 * A deleted trace stays marked after its rows are purged, for as long as the journal still holds an event of it:
 * readers of old rows leave it out. `through_position` is the head of the journal at the deletion, behind which nothing
 * speaks of the trace.
 */
export const purgedMarks: Migration = {
  version: 2,
  name: 'marks of deleted traces outlive their rows',
  statements: `
    ALTER TABLE deleted_traces ADD COLUMN through_position INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE deleted_traces ADD COLUMN purged INTEGER NOT NULL DEFAULT 0;
    UPDATE deleted_traces SET through_position = (SELECT head_position FROM journal_state);
    CREATE INDEX deleted_to_purge ON deleted_traces (trace_id) WHERE purged = 0;
    CREATE INDEX purged_marks ON deleted_traces (through_position) WHERE purged = 1;
  `,
}
