import type { Migration } from '../control/migration.ts'

/** What a webhook sends. */
export const webhookFormats: Migration = {
  version: 8,
  name: 'formats of webhooks',
  statements: `
    ALTER TABLE webhooks ADD COLUMN format TEXT COLLATE "C" NOT NULL DEFAULT 'json';
  `,
}
