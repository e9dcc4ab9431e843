import type { DatabaseSync } from 'node:sqlite'
import { inParallel } from '../../lib/flow/in-parallel.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'

export interface MediaMove {
  readonly control: DatabaseSync
  readonly source: Pick<BlobStore, 'read'>
  readonly target: Pick<BlobStore, 'size' | 'write' | 'remove'>
  readonly onObject: (objects: number, total: number) => void
}

export interface MovedMedia {
  readonly objects: number
  readonly bytes: number
}

const AT_ONCE = 4

/** Copies each object that the target lacks. Throws OperatorError when the store lacks one or some of its bytes. */
export async function moveMedia({ control, source, target, onObject }: MediaMove): Promise<MovedMedia> {
  const rows = control.prepare('SELECT blob_key, size_bytes FROM media ORDER BY blob_key').all()
  let objects = 0
  let bytes = 0
  await inParallel(rows, AT_ONCE, async ({ blob_key: key, size_bytes: size }) => {
    await moveObject(source, target, key as BlobKey, Number(size))
    objects += 1
    bytes += Number(size)
    onObject(objects, rows.length)
  })
  return { objects, bytes }
}

async function moveObject(
  source: MediaMove['source'],
  target: MediaMove['target'],
  key: BlobKey,
  size: number,
): Promise<void> {
  if ((await target.size(key)) === size) return
  const content = await source.read(key, null)
  if (content === null)
    throw new OperatorError(`The media object ${key} is neither in the data folder nor in the bucket.`)
  // Remains of an interrupted attempt.
  await target.remove(key)
  await target.write(key, content as AsyncIterable<Buffer>)
  const stored = await target.size(key)
  if (stored !== size)
    throw new OperatorError(`The media object ${key} has ${stored ?? 'no'} bytes in the bucket, and must have ${size}.`)
}
