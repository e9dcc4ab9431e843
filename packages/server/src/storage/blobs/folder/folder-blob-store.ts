import { type FileHandle, lstat, open, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { checkBlobKey } from '../../../ports/media/blob-key.ts'
import type { BlobKey, BlobStore, ByteRange } from '../../../ports/media/blob-store.ts'
import { codeOf } from '../../../lib/error-code.ts'
import { syncPath } from '../../files.ts'
import { onDisk } from './disk-error.ts'
import { DurableFolders } from './durable-folders.ts'
import { readFileRange } from './file-range-stream.ts'
import { emptyFolder, makeFolder } from './media-folder.ts'
import { writeGathered } from './write-gathered.ts'

/** The store in a folder, which is made if it does not exist. Throws OperatorError when that fails. */
export async function openFolderBlobStore(folder: string): Promise<FolderBlobStore> {
  await makeFolder(folder)
  for (const part of ['tmp', 'objects']) await makeFolder(join(folder, part))
  return new FolderBlobStore(folder)
}

/**
 * Objects as files. Bytes go to `tmp/`, and only when they are on the disk does the file get its name in `objects/`:
 * every file with a name there is whole. Both are on one disk, which makes that step atomic. Keys hold nothing but
 * letters, digits, `_` and one slash, so no key leads out of the folder.
 */
export class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #folders: DurableFolders

  constructor(folder: string) {
    this.#folder = folder
    this.#folders = new DurableFolders(join(folder, 'objects'))
  }

  async write(key: BlobKey, source: AsyncIterable<Buffer>): Promise<void> {
    const { temporary, path } = this.#pathsOf(key)
    const file = await onDisk(open(temporary, 'wx', 0o600))
    try {
      await writeAndClose(file, source)
      await onDisk(this.#publish(temporary, path))
    } catch (error) {
      // A disk that does not even delete a file has already reported why: `remove`, or the next start, deletes it.
      await Promise.allSettled([rm(temporary, { force: true }), rm(path, { force: true })])
      throw error
    }
  }

  async read(key: BlobKey, range: ByteRange | null): Promise<Readable | null> {
    return readFileRange(this.#pathsOf(key).path, range)
  }

  async size(key: BlobKey): Promise<number | null> {
    const stats = await this.#find(key, (path) => lstat(path))
    return stats?.isFile() === true ? stats.size : null
  }

  async remove(key: BlobKey): Promise<void> {
    const { temporary } = this.#pathsOf(key)
    await onDisk(rm(temporary, { force: true }))
    const folder = await this.#find(key, async (path) => {
      await unlink(path)
      return dirname(path)
    })
    if (folder !== null) await onDisk(syncPath(folder))
  }

  async promote(from: BlobKey, to: BlobKey): Promise<void> {
    const old = this.#pathsOf(from).path
    if ((await this.size(from)) === null) {
      if ((await this.size(to)) !== null) return
      throw new Error(`there is no object ${from}`)
    }
    await onDisk(this.#publish(old, this.#pathsOf(to).path))
    await onDisk(syncPath(dirname(old)))
  }

  /** A folder can only be reached through the service. */
  async directTarget(): Promise<null> {
    return null
  }

  async removeLeftovers(): Promise<void> {
    await emptyFolder(join(this.#folder, 'tmp'))
  }

  async #publish(from: string, to: string): Promise<void> {
    const folder = dirname(to)
    await this.#folders.make(folder)
    try {
      await rename(from, to)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      this.#folders.forget()
      await this.#folders.make(folder)
      await rename(from, to)
    }
    await syncPath(folder)
  }

  /** Null when there is no such object. */
  async #find<T>(key: BlobKey, look: (path: string) => Promise<T>): Promise<T | null> {
    try {
      return await look(this.#pathsOf(key).path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      return onDisk(Promise.reject(error))
    }
  }

  /** 256 folders for each project: few enough to be made soon, and each stays fast with a hundred thousand files. */
  #pathsOf(key: BlobKey): { temporary: string; path: string } {
    checkBlobKey(key)
    const [project = '', random = ''] = key.split('/')
    return {
      temporary: join(this.#folder, 'tmp', `${project}.${random}`),
      path: join(this.#folder, 'objects', project, random.slice(0, 2), random.slice(2)),
    }
  }
}

async function writeAndClose(file: FileHandle, source: AsyncIterable<Buffer>): Promise<void> {
  try {
    await writeGathered(file, source, 0)
    await onDisk(file.sync())
  } finally {
    await onDisk(file.close())
  }
}
