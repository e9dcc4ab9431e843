import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { MediaTables } from './media-tables.ts'

type BlobRow = MediaTables['pending_blobs']

interface Key {
  readonly key: string
}

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
  const { query } = sqlTextOn(database)
  const isAbandoned = 'condemned = 0 AND (lease_until <= :now OR owner = :formerOwner)'
  return {
    beginBlob: query<Lease & Key>(`INSERT INTO pending_blobs (blob_key, condemned, owner, lease_until)
      VALUES (:key, 0, :owner, :until)`),
    renewBlobs: query<Lease>('UPDATE pending_blobs SET lease_until = :until WHERE owner = :owner AND condemned = 0'),
    pendingBlob: query<Key, Pick<BlobRow, 'condemned'>>('SELECT condemned FROM pending_blobs WHERE blob_key = :key'),
    markForDeletion: query<Key>('UPDATE pending_blobs SET condemned = 1 WHERE blob_key = :key'),
    markAbandonedForDeletion: query<AbandonedValues>(`UPDATE pending_blobs SET condemned = 1 WHERE ${isAbandoned}`),
    forgetAbandoned: query<AbandonedValues>(`DELETE FROM pending_blobs WHERE ${isAbandoned}`),
    // In the text, 1 is known when the statement is compiled: SQLite uses the partial index only then.
    blobsToDelete: query<{ after: string; limit: number }, Pick<BlobRow, 'blob_key'>>(
      'SELECT blob_key FROM pending_blobs WHERE condemned = 1 AND blob_key > :after ORDER BY blob_key LIMIT :limit',
    ),
    addBlobToDelete: query<Key>(`INSERT INTO pending_blobs (blob_key, condemned, owner, lease_until)
      VALUES (:key, 1, '', 0) ON CONFLICT (blob_key) DO UPDATE SET condemned = 1`),
    forgetBlob: query<Key>('DELETE FROM pending_blobs WHERE blob_key = :key'),
  }
}
