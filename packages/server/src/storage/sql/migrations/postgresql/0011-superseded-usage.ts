import type { Migration } from '../control/migration.ts'

/** The twin of ../control/0022-superseded-usage.ts. */
export const supersededUsage: Migration = {
  version: 11,
  name: 'tokens by model among superseded keys',
  statements: `
    ALTER TABLE superseded_keys ADD COLUMN usage TEXT COLLATE "C";
  `,
}
