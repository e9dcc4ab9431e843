import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'
import { compareTimelines, type Mismatch, type Timeline } from '../cluster/timeline.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'

/** No project has this id. */
const KEY = `proj_${'0'.repeat(26)}/${'f'.repeat(32)}` as BlobKey

/** The query of the newest media that PostgreSQL knows. */
export const newestMedia = (limit: number) =>
  `SELECT blob_key AS key FROM media ORDER BY created_at DESC LIMIT ${limit}`

/** What PostgreSQL says of the bucket. */
export interface BucketState {
  readonly timeline: Timeline
  /** At least one if there are any. */
  readonly media: readonly BlobKey[]
}

export async function readBucketState(
  database: Pick<SqlDatabase<unknown>, 'read'>,
  timeline: Timeline,
): Promise<BucketState> {
  const rows = await database.read<{ readonly key: BlobKey }>({ sql: newestMedia(1), parameters: [] })
  return { timeline, media: rows.map(({ key }) => key) }
}

/** Null for a bucket that no cluster has used. */
export async function readTimeline(blobs: Pick<BlobStore, 'read'>): Promise<Timeline | null> {
  const stored = await blobs.read(KEY, null)
  return stored === null ? null : Buffer.concat(await stored.toArray()).toString()
}

/** `found`: of `readTimeline`. */
export function compareBucket({ timeline, media }: BucketState, found: Timeline | null): Mismatch | null {
  if (found !== null) return compareTimelines(timeline, found, 'the bucket')
  if (media.length === 0) return null
  return {
    older: 'the bucket',
    message:
      'The bucket is not that of this store, or was emptied: PostgreSQL has media in one, and no store has used this ' +
      'one. Name the right one, or accept the loss with spoor recover: docs/operate/backup-and-restore.md.',
  }
}

export async function writeTimeline(blobs: Pick<BlobStore, 'remove' | 'write'>, timeline: Timeline): Promise<void> {
  await blobs.remove(KEY)
  await blobs.write(
    KEY,
    (async function* () {
      yield Buffer.from(timeline)
    })(),
  )
}
