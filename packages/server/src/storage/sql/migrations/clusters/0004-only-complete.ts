import type { Migration } from '../control/migration.ts'

/** Whether a discovery leaves out traces that are still growing. */
export const onlyComplete: Migration = {
  version: 4,
  name: 'discoveries of complete traces',
  statements: `
    ALTER TABLE jobs ADD COLUMN only_complete INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE schedules ADD COLUMN only_complete INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN only_complete INTEGER NOT NULL DEFAULT 0;
  `,
}
