import type { Migration } from './migration.ts'

/**
 * Remembers that deliveries.db exists, so that a start notices when it is gone. A webhook implies it: no service has
 * had one without the file.
 */
export const deliveryStore: Migration = {
  version: 13,
  name: 'that there is a store of deliveries',
  statements: `
    CREATE TABLE delivery_store (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1)
    ) STRICT;
    INSERT INTO delivery_store SELECT 1 WHERE EXISTS (SELECT 1 FROM webhooks);
  `,
}
