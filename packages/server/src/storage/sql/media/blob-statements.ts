import { sql } from 'kysely'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { MediaTables } from './media-tables.ts'

/** A literal: SQLite uses a partial index only if its condition is known when the statement is compiled. */
const TO_DELETE = sql.lit(1)

interface Lease {
  readonly owner: string
  readonly until: number
}

interface AbandonedValues {
  readonly now: number
  /** Empty: nobody. No process has an empty name. */
  readonly formerOwner: string
}

/** Keys of bytes that are being written or are marked for deletion. */
export function blobStatementsOn(database: SqlDatabase<MediaTables>) {
  return {
    beginBlob: database.statement((queries, { key, owner, until }: Lease & { readonly key: string }) =>
      queries.insertInto('pending_blobs').values({ blob_key: key, condemned: 0, owner, lease_until: until }),
    ),
    renewBlobs: database.statement((queries, { owner, until }: Lease) =>
      queries
        .updateTable('pending_blobs')
        .set({ lease_until: until })
        .where('owner', '=', owner)
        .where('condemned', '=', 0),
    ),
    pendingBlob: database.statement((queries, { key }: { key: string }) =>
      queries.selectFrom('pending_blobs').select('condemned').where('blob_key', '=', key),
    ),
    markForDeletion: database.statement((queries, { key }: { key: string }) =>
      queries.updateTable('pending_blobs').set({ condemned: 1 }).where('blob_key', '=', key),
    ),
    markAbandonedForDeletion: database.statement((queries, { now, formerOwner }: AbandonedValues) =>
      queries
        .updateTable('pending_blobs')
        .set({ condemned: 1 })
        .where('condemned', '=', 0)
        .where(({ eb, or }) => or([eb('lease_until', '<=', now), eb('owner', '=', formerOwner)])),
    ),
    forgetAbandoned: database.statement((queries, { now, formerOwner }: AbandonedValues) =>
      queries
        .deleteFrom('pending_blobs')
        .where('condemned', '=', 0)
        .where(({ eb, or }) => or([eb('lease_until', '<=', now), eb('owner', '=', formerOwner)])),
    ),
    blobsToDelete: database.statement((queries, { after, limit }: { after: string; limit: number }) =>
      queries
        .selectFrom('pending_blobs')
        .select('blob_key')
        .where('condemned', '=', TO_DELETE)
        .where('blob_key', '>', after)
        .orderBy('blob_key')
        .limit(limit),
    ),
    addBlobToDelete: database.statement((queries, { key }: { key: string }) =>
      queries
        .insertInto('pending_blobs')
        .values({ blob_key: key, condemned: 1, owner: '', lease_until: 0 })
        .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ condemned: 1 })),
    ),
    forgetBlob: database.statement((queries, { key }: { key: string }) =>
      queries.deleteFrom('pending_blobs').where('blob_key', '=', key),
    ),
  }
}
