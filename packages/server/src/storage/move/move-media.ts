import type { DatabaseSync } from 'node:sqlite'
import { inParallel } from '../../lib/flow/in-parallel.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'

export interface MediaMove {
  readonly control: DatabaseSync
  readonly source: Pick<BlobStore, 'read'>
  readonly target: Pick<BlobStore, 'size' | 'write' | 'remove'>
  /** Called for each object. `newBytes`: 0 when the target had it already. */
  readonly onObject: (objects: number, total: number, newBytes: number) => void
  /** The error for an object that the source does not have. */
  readonly lacking: (key: BlobKey) => Error
}

export interface MovedMedia {
  readonly objects: number
  readonly bytes: number
}

const AT_ONCE = 4

/** Copies each object that the target lacks. Throws when the source lacks one or some of its bytes. */
export async function moveMedia(move: MediaMove): Promise<MovedMedia> {
  const { control, onObject } = move
  const rows = control.prepare('SELECT blob_key, size_bytes FROM media ORDER BY blob_key').all()
  let objects = 0
  let bytes = 0
  await inParallel(rows, AT_ONCE, async ({ blob_key: key, size_bytes: size }) => {
    const isNew = await moveObject(move, key as BlobKey, Number(size))
    objects += 1
    bytes += Number(size)
    onObject(objects, rows.length, isNew ? Number(size) : 0)
  })
  return { objects, bytes }
}

/** False when the target has it already. */
async function moveObject({ source, target, lacking }: MediaMove, key: BlobKey, size: number): Promise<boolean> {
  if ((await target.size(key)) === size) return false
  const content = await source.read(key, null)
  if (content === null) throw lacking(key)
  // Remains of an interrupted attempt.
  await target.remove(key)
  await target.write(key, content as AsyncIterable<Buffer>)
  const stored = await target.size(key)
  if (stored !== size)
    throw new OperatorError(`The copy of the media object ${key} has ${stored ?? 'no'} bytes, and must have ${size}.`)
  return true
}
