import type { Migration } from '../control/migration.ts'

/** The twin of ../clusters/0004-only-complete.ts. */
export const onlyComplete: Migration = {
  version: 6,
  name: 'discoveries of complete traces',
  statements: `
    ALTER TABLE jobs ADD COLUMN only_complete BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE schedules ADD COLUMN only_complete BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN only_complete BIGINT NOT NULL DEFAULT 0;
  `,
}
