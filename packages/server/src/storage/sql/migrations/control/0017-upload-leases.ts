import type { Migration } from './migration.ts'

/** Keys that were pending before have no owner and a lease that has ended: whoever wrote them is gone. */
export const uploadLeases: Migration = {
  version: 17,
  name: 'leases of uploads under way',
  statements: `
    ALTER TABLE pending_blobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE pending_blobs ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0; -- milliseconds
  `,
}
