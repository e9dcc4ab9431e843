import { createHash } from 'node:crypto'
import { constants, type FileHandle, mkdir, open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inParallel } from '../../lib/flow/in-parallel.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { DATA_FILES } from '../data-files.ts'
import { ifThere, syncPath } from '../files.ts'
import { moveMedia } from '../move/move-media.ts'
import type { BackupTarget } from './backup-target.ts'
import type { BackupObject, Manifest } from './manifest.ts'

const AT_ONCE = 4
/** Without its control store, no service starts on the folder. */
const DRAFT = `${DATA_FILES.control}.restoring`

export interface RestoreOptions {
  readonly target: BackupTarget
  readonly manifest: Manifest
  /** An empty folder, or one that does not exist. */
  readonly dataDir: string
  /** Opens the media of the restored store. */
  readonly openBlobs: () => Promise<{ readonly blobs: BlobStore; close(): void }>
}

/**
 * Restores a backup, whose objects are verified on the way. Throws OperatorError when the folder is not empty, or an
 * object is missing or damaged: no service starts on the folder then, and it has to be emptied.
 */
export async function restore({ target, manifest, dataDir, openBlobs }: RestoreOptions): Promise<void> {
  if ((await ifThere(readdir(dataDir), [])).length > 0)
    throw new OperatorError(`${dataDir} is not empty. Name a folder that does not exist.`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const folders = new Set(manifest.objects.map(({ folder }) => join(dataDir, folder)))
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 })
  const paths = new Set<string>()
  await inParallel(manifest.objects, AT_ONCE, async (object) => {
    for (const path of await restoreObject(target, object, dataDir)) paths.add(path)
  })
  await restoreMedia(dataDir, target, openBlobs)
  for (const path of paths) await syncPath(path)
  for (const folder of folders) await syncPath(folder)
  await rename(join(dataDir, DRAFT), join(dataDir, DATA_FILES.control))
  await syncPath(dataDir)
  await syncPath(dirname(dataDir))
}

/** Resolves with the files that it has written to. */
async function restoreObject(target: BackupTarget, object: BackupObject, dataDir: string): Promise<readonly string[]> {
  const { key, folder, files, sha256, bytes } = object
  const content = await target.read(key)
  const place = join(folder, files[0]?.[0] ?? '')
  if (content === null) throw damaged(target, place, 'is missing')
  const hash = createHash('sha256')
  const writer = new FilesWriter(join(dataDir, folder), object)
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk)
      await writer.write(chunk)
    }
    await writer.end()
  } finally {
    await writer.close()
  }
  if (writer.written !== bytes || hash.digest('hex') !== sha256) throw damaged(target, place, 'has other bytes')
  return writer.paths
}

function damaged({ name }: BackupTarget, place: string, how: string): OperatorError {
  return new OperatorError(`The backup in ${name} is damaged: the object that holds ${place} ${how}.`)
}

/** Divides the bytes of an object among its files. */
class FilesWriter {
  readonly paths: string[] = []
  readonly #folder: string
  readonly #files: BackupObject['files']
  #file: FileHandle | null = null
  #left = 0
  #position: number
  #written = 0

  constructor(folder: string, { files, offset }: BackupObject) {
    this.#folder = folder
    this.#files = files
    this.#position = offset
  }

  /** Bytes taken, also those behind the last file. */
  get written(): number {
    return this.#written
  }

  async write(chunk: Buffer): Promise<void> {
    this.#written += chunk.length
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0 && !(await this.#next())) return
      const file = this.#file
      if (file === null) return
      const part = chunk.subarray(at, at + this.#left)
      // A disk that becomes full takes the beginning, and says so at the next write.
      const { bytesWritten } = await file.write(part, 0, part.length, this.#position)
      this.#position += bytesWritten
      this.#left -= bytesWritten
      at += bytesWritten
    }
  }

  /** Makes the empty files at the end. */
  async end(): Promise<void> {
    while (this.#left === 0 && (await this.#next()));
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }

  /** False when there is no further file. */
  async #next(): Promise<boolean> {
    const file = this.#files[this.paths.length]
    if (file === undefined) return false
    await this.#file?.close()
    this.#file = null
    const [name, bytes] = file
    const path = join(this.#folder, name === DATA_FILES.control ? DRAFT : name)
    if (this.paths.length > 0) this.#position = 0
    this.paths.push(path)
    this.#left = bytes
    // Not truncated: other pieces of it may be there.
    this.#file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
    return true
  }
}

async function restoreMedia(
  dataDir: string,
  target: BackupTarget,
  openBlobs: RestoreOptions['openBlobs'],
): Promise<void> {
  const control = new DatabaseSync(join(dataDir, DRAFT), { readOnly: true })
  const { blobs, close } = await openBlobs()
  try {
    await moveMedia({
      control,
      source: target.media,
      target: blobs,
      onObject: () => undefined,
      lacking: (key) => damaged(target, `the media object ${key}`, 'is missing'),
    })
  } finally {
    close()
    control.close()
  }
}
