import type { Migration } from './migration.ts'

/** Walks by cost need the tokens that a trace had before. */
export const supersededUsage: Migration = {
  version: 22,
  name: 'tokens by model among superseded keys',
  statements: `
    ALTER TABLE superseded_keys ADD COLUMN usage TEXT;  -- JSON: ModelUsage[]; null if unknown
  `,
}
