import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'
import type { CheckResult } from '../../operation/check-result.ts'

/** Problems listed individually; beyond that, only their number. */
const MOST_NAMED = 20

/** Reads the bytes of all media and compares length and SHA-256 with the stored values. */
export async function checkMedia(dataDir: string, blobs: Pick<BlobStore, 'read'>): Promise<CheckResult> {
  const database = new DatabaseSync(join(dataDir, 'control.db'), { timeout: 5000 })
  const problems: string[] = []
  let objects = 0
  let bytes = 0
  try {
    for (const row of database.prepare('SELECT sha256, blob_key, size_bytes FROM media').iterate()) {
      const key = row['blob_key'] as BlobKey
      const sizeBytes = Number(row['size_bytes'])
      const sha256 = Buffer.from(row['sha256'] as Uint8Array).toString('hex')
      const problem = await problemOf(blobs, key, sizeBytes, sha256)
      if (problem !== null) problems.push(`The media object ${key} (SHA-256 ${sha256}) ${problem}.`)
      objects += 1
      bytes += sizeBytes
    }
  } finally {
    database.close()
  }
  const named = problems.slice(0, MOST_NAMED)
  if (problems.length > named.length) named.push(`… and ${problems.length - named.length} more media objects.`)
  return { part: 'media', detail: `${objects} objects, ${bytes} bytes`, problems: named }
}

async function problemOf(
  blobs: Pick<BlobStore, 'read'>,
  key: BlobKey,
  sizeBytes: number,
  sha256: string,
): Promise<string | null> {
  const stream = await blobs.read(key, null)
  if (stream === null) return 'is missing'
  const hash = createHash('sha256')
  let found = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    found += chunk.length
  }
  if (found !== sizeBytes) return `has ${found} of ${sizeBytes} bytes`
  return hash.digest('hex') === sha256 ? null : 'has other bytes than were stored'
}
