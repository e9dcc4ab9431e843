import type { Migration } from './migration.ts'

/** What a webhook sends: `json`, or a message for a known receiver. */
export const webhookFormats: Migration = {
  version: 20,
  name: 'formats of webhooks',
  statements: `
    ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'json';
  `,
}
