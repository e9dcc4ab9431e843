import type { Migration } from './migration.ts'

/**
 * How far the ids of traces have run ahead of their creation at most, milliseconds. Traces of earlier versions have the
 * time of their id.
 */
export const idLead: Migration = {
  version: 14,
  name: 'how far ids run ahead of the clock',
  statements: `
    ALTER TABLE journal_state ADD COLUMN id_lead_ms INTEGER NOT NULL DEFAULT 0;
  `,
}
