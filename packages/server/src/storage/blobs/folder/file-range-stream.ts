import { close, constants, fstat, open, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { markPassing, pipeFreeing } from '../../../lib/flow/passing-bytes.ts'
import { checkRange } from '../../../ports/media/blob-range.ts'
import type { ByteRange } from '../../../ports/media/blob-store.ts'
import { codeOf } from '../../../lib/error-code.ts'
import { fromDiskError, onDisk } from './disk-error.ts'

/**
 * Read-ahead for each reader: fewer and larger reads than the default of 64 KB suit a disk with twenty concurrent
 * readers.
 */
const READ_BYTES = 256 * 1024

type Done = (error: NodeJS.ErrnoException | null) => void

/** The bytes `start` to `end` (inclusive) of an open file. Fails when the file is shorter. */
export class FileRangeStream extends Readable {
  readonly #descriptor: number
  readonly #end: number
  readonly #readBytes: number
  readonly #release: (done: Done) => void
  #position: number
  #whenRead: (() => void) | null = null
  #isReading = false

  /**
   * @param readBytes size of each read, and of the read-ahead
   * @param release called once, when nothing is read any more
   */
  constructor(
    descriptor: number,
    { start, end, readBytes }: ByteRange & { readonly readBytes: number },
    release: (done: Done) => void,
  ) {
    super({ highWaterMark: readBytes })
    this.#readBytes = readBytes
    this.#descriptor = descriptor
    this.#position = start
    this.#end = end
    this.#release = release
  }

  override _read(): void {
    const left = this.#end + 1 - this.#position
    if (left <= 0) {
      this.push(null)
      return
    }
    const length = Math.min(this.#readBytes, left)
    this.#isReading = true
    read(this.#descriptor, Buffer.allocUnsafeSlow(length), 0, length, this.#position, (error, bytesRead, bytes) => {
      this.#isReading = false
      if (this.#whenRead !== null) return this.#whenRead()
      if (error !== null) return void this.destroy(fromDiskError(error))
      if (bytesRead === 0)
        return void this.destroy(new Error(`the file ends at ${this.#position}, before ${this.#end}`))
      this.#position += bytesRead
      markPassing(bytes)
      this.push(bytesRead === length ? bytes : bytes.subarray(0, bytesRead))
    })
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    pipeFreeing(this, destination, options)
    return destination
  }

  /** The number of a closed file may be reused at once, so a read in progress ends first. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const finish = () => this.#release((failure) => done(error ?? failure))
    if (this.#isReading) this.#whenRead = finish
    else finish()
  }
}

/** Symbolic links are not followed, and a pipe does not block: anything that is not our own file is not opened. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Null when there is no such file, or something else has its name. Without a range, all of it. Throws RangeError when
 * the file does not contain the range.
 */
export async function readFileRange(path: string, range: ByteRange | null): Promise<FileRangeStream | null> {
  const descriptor = await openOrNull(path)
  if (descriptor === null) return null
  try {
    const stats = await onDisk(promisify(fstat)(descriptor))
    if (stats.isFile()) {
      if (range !== null) checkRange(range, stats.size)
      const part = { ...(range ?? { start: 0, end: stats.size - 1 }), readBytes: READ_BYTES }
      return new FileRangeStream(descriptor, part, (done) => close(descriptor, done))
    }
  } catch (error) {
    await promisify(close)(descriptor)
    throw error
  }
  await promisify(close)(descriptor)
  return null
}

async function openOrNull(path: string): Promise<number | null> {
  try {
    return await promisify(open)(path, OPEN_FLAGS)
  } catch (error) {
    // A symbolic link (ELOOP; EMLINK and EFTYPE on other systems), or a socket (ENXIO).
    if (['ENOENT', 'ELOOP', 'EMLINK', 'EFTYPE', 'ENXIO'].includes(codeOf(error) ?? '')) return null
    throw fromDiskError(error)
  }
}
