import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { inParallel } from '../../lib/flow/in-parallel.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { withCopyFolder } from '../copy-folder.ts'
import { DATA_FILES } from '../data-files.ts'
import { moveMedia, type MovedMedia } from '../move/move-media.ts'
import type { BackupTarget } from './backup-target.ts'
import { type FilePiece, keyOf, listPieces } from './list-files.ts'
import type { BackupObject, Manifest } from './manifest.ts'
import { type Snapshot, takeSnapshot } from './take-snapshot.ts'
import { readTotals } from './telemetry-totals.ts'

export interface BackUpOptions {
  readonly dataDir: string
  /** The media of the store. */
  readonly blobs: Pick<BlobStore, 'read'>
  readonly target: BackupTarget
  /** Memory limit of the engine that counts, bytes. */
  readonly memoryBytes: number
  readonly clock: Clock
  /** Of Spoor. */
  readonly version: string
}

/** Objects written at once. A bucket takes longer to answer than to take the bytes. */
const AT_ONCE = 4
/** Media may be deleted while it is copied. What was copied is not copied again. */
const ATTEMPTS = 10

class DeletedMedia extends Error {}

/**
 * Backs up a data folder while its service runs, or while none does. What an earlier backup in the target has is not
 * copied again. The backup exists once its manifest is written, last. Throws OperatorError when the store is not whole,
 * the target is full or of another store, another backup of the folder is under way, or its working folder is removed.
 */
export async function backUp(options: BackUpOptions): Promise<Manifest> {
  const { dataDir, target } = options
  if (!existsSync(join(dataDir, DATA_FILES.control)))
    throw new OperatorError(`There is no Spoor data in ${dataDir}. Name its folder with --data-dir.`)
  return withCopyFolder(dataDir, 'backup', async (folder) => {
    await target.removeLeftovers()
    return copyTo(options, folder)
  })
}

async function copyTo(options: BackUpOptions, folder: string): Promise<Manifest> {
  const { target, memoryBytes, clock, version } = options
  const newest = await target.newest()
  const previous = newest === 0 ? null : await target.manifest(newest)
  const { snapshot, media, newMediaBytes } = await copyMedia(options, folder)
  const { storeId, commit, position } = snapshot
  if (previous !== null && previous.storeId !== storeId)
    throw new OperatorError(`${target.name} has backups of another store. Name another folder or bucket.`)
  const known = new Map(previous?.objects.map((object) => [object.key, object]))
  const pieces: FilePiece[] = []
  for await (const piece of listPieces(folder)) pieces.push(piece)
  let newBytes = newMediaBytes
  const objects = await inParallel(pieces, AT_ONCE, async (piece) => {
    const { object, isNew } = await copyPiece(target, known, piece)
    if (isNew) newBytes += object.bytes
    return object
  })
  const manifest: Manifest = {
    number: newest + 1,
    storeId,
    createdAt: new Date(clock.now()).toISOString(),
    version,
    commit,
    position,
    // Last, because it changes the copy.
    totals: await readTotals(folder, commit, memoryBytes),
    media,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, media.bytes),
    newBytes,
    objects,
  }
  await target.finish(manifest)
  return manifest
}

async function copyMedia(
  { dataDir, blobs, target }: BackUpOptions,
  folder: string,
): Promise<{ readonly snapshot: Snapshot; readonly media: MovedMedia; readonly newMediaBytes: number }> {
  let newMediaBytes = 0
  for (let attempt = 1; ; attempt++) {
    const snapshot = await takeSnapshot(dataDir, folder)
    const control = new DatabaseSync(join(folder, DATA_FILES.control), { readOnly: true })
    try {
      const media = await moveMedia({
        control,
        source: blobs,
        target: target.media,
        onObject: (_objects, _total, bytes) => (newMediaBytes += bytes),
        lacking: (key) => new DeletedMedia(`The media object ${key} is missing.`),
      })
      return { snapshot, media, newMediaBytes }
    } catch (error) {
      if (!(error instanceof DeletedMedia)) throw error
      if (attempt === ATTEMPTS) throw new OperatorError(`${error.message} Run spoor check.`, { cause: error })
    } finally {
      control.close()
    }
  }
}

async function copyPiece(
  target: BackupTarget,
  known: ReadonlyMap<string, BackupObject>,
  piece: FilePiece,
): Promise<{ readonly object: BackupObject; readonly isNew: boolean }> {
  const { folder, offset, files, bytes } = piece
  const hash = createHash('sha256')
  if (piece.key === null) {
    const content = await buffer(piece.read())
    const sha256 = hash.update(content).digest('hex')
    const object = { key: keyOf(sha256), bytes, sha256, folder, offset, files }
    return { object, isNew: await target.add(object.key, bytes, () => Readable.from([content])) }
  }
  const { key } = piece
  const before = known.get(key)
  if (before !== undefined && (await target.has(key, bytes))) return { object: before, isNew: false }
  const hashed = async function* () {
    for await (const chunk of piece.read()) {
      hash.update(chunk)
      yield chunk
    }
  }
  const isNew = await target.add(key, bytes, hashed)
  // A backup that was interrupted has written it: only its hash is missing.
  if (!isNew) for await (const _ of hashed());
  return { object: { key, bytes, sha256: hash.digest('hex'), folder, offset, files }, isNew }
}
