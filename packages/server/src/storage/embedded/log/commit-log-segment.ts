import { open, rm, type FileHandle } from 'node:fs/promises'
import { syncPath } from '../../files.ts'
import { segmentFile, type SegmentFile } from './commit-log-files.ts'

/**
 * A segment of the commit log that is being written: knows which part of its file counts. The bytes after that part (an
 * incomplete or withdrawn record) must be removed with `cutBack` before the next `append`.
 */
export class LogSegment implements SegmentFile {
  readonly firstVersion: number
  readonly path: string
  readonly #handle: FileHandle
  #lastVersion: number
  /** Up to here are the records that count. */
  #goodBytes = 0
  /** The file is no longer than this. */
  #endBytes = 0
  /** Where the newest record begins, while it can still be taken back. */
  #lastRecordStart: number | null = null
  #syncFailed = false

  private constructor({ firstVersion, path }: SegmentFile, handle: FileHandle) {
    this.firstVersion = firstVersion
    this.path = path
    this.#handle = handle
    this.#lastVersion = firstVersion - 1
  }

  /** Durably there, and empty: a file that had the name is replaced, not used again. */
  static async create(directory: string, firstVersion: number): Promise<LogSegment> {
    const file = segmentFile(directory, firstVersion)
    await rm(file.path, { force: true })
    const handle = await open(file.path, 'wx', 0o600)
    try {
      await handle.sync()
      await syncPath(directory)
    } catch (error) {
      await handle.close()
      throw error
    }
    return new LogSegment(file, handle)
  }

  /** One less than the first when it has no record. */
  get lastVersion(): number {
    return this.#lastVersion
  }

  get goodBytes(): number {
    return this.#goodBytes
  }

  get sizeBytes(): number {
    return this.#endBytes
  }

  get isWhole(): boolean {
    return this.#endBytes === this.#goodBytes && !this.#syncFailed
  }

  /**
   * A flush of it failed once. Then the system's memory of the file may differ from the disk, so nothing more is
   * written to it.
   */
  get isSpent(): boolean {
    return this.#syncFailed
  }

  /** The record of the next version, in parts. It counts when this resolves. */
  async append(parts: readonly Buffer[]): Promise<void> {
    const start = this.#goodBytes
    const end = parts.reduce((sum, part) => sum + part.length, start)
    this.#endBytes = end
    await writeFully(this.#handle, parts, start)
    await this.#flush(() => this.#handle.datasync())
    this.#lastRecordStart = start
    this.#goodBytes = end
    this.#lastVersion += 1
  }

  takeBack(version: number): void {
    if (version !== this.#lastVersion || this.#lastRecordStart === null) return
    this.#goodBytes = this.#lastRecordStart
    this.#lastRecordStart = null
    this.#lastVersion -= 1
  }

  /** Leaves what counts, durably. */
  async cutBack(): Promise<void> {
    // A record may be taken back meanwhile.
    do {
      const length = this.#goodBytes
      await this.#handle.truncate(length)
      await this.#flush(() => this.#handle.sync())
      this.#endBytes = length
    } while (this.#endBytes !== this.#goodBytes)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #flush(sync: () => Promise<void>): Promise<void> {
    try {
      await sync()
    } catch (error) {
      this.#syncFailed = true
      throw error
    }
  }
}

/** The system may take a part of it only, above all when the disk becomes full: then asking again says why. */
async function writeFully(handle: FileHandle, parts: readonly Buffer[], position: number): Promise<void> {
  let rest = parts.filter((part) => part.length > 0)
  let restAt = position
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest, restAt)
    if (bytesWritten === 0)
      throw new Error('the commit log was not written: the system took no bytes and did not say why')
    restAt += bytesWritten
    rest = withoutFirst(rest, bytesWritten)
  }
}

function withoutFirst(parts: readonly Buffer[], bytes: number): Buffer[] {
  let skip = bytes
  return parts.flatMap((part) => {
    const skipped = Math.min(skip, part.length)
    skip -= skipped
    return skipped === part.length ? [] : [part.subarray(skipped)]
  })
}
