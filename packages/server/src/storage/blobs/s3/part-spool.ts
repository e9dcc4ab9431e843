import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { onDisk } from '../folder/disk-error.ts'
import { FileRangeStream } from '../folder/file-range-stream.ts'
import { writeGathered } from '../folder/write-gathered.ts'

/**
 * Buffer size for reading parts that were just written and are still in the page cache; two of each upload are read at
 * once.
 */
const READ_BYTES = 64 * 1024

/**
 * Parts of an object that wait for S3, which requires the length of each before its first byte, and may request it
 * again. They wait in a file instead of in memory, because a thousand slow uploads would otherwise hold a thousand
 * parts. The file has no name, so it is deleted with the process. It has a few places that are reused, so it does not
 * grow with the object. Nothing in it has to survive, so nothing is flushed.
 */
export class PartSpool {
  readonly #file: FileHandle
  readonly #partBytes: number
  readonly #free: number[]
  #waiting: (() => void) | null = null

  private constructor(file: FileHandle, partBytes: number, places: number) {
    this.#file = file
    this.#partBytes = partBytes
    this.#free = Array.from({ length: places }, (_, index) => index)
  }

  /** @param path of a file that does not exist before and after */
  static async open(path: string, options: { partBytes: number; places: number }): Promise<PartSpool> {
    const file = await onDisk(open(path, 'wx+', 0o600))
    try {
      await onDisk(unlink(path))
    } catch (error) {
      await file.close()
      throw error
    }
    return new PartSpool(file, options.partBytes, options.places)
  }

  /**
   * Waits for a free place and fills it. One at a time. Rejects with the source's own error, or with a DomainError when
   * the disk fails.
   */
  async fill(part: AsyncIterable<Buffer>): Promise<SpooledPart> {
    if (this.#free.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    const place = this.#free.pop() ?? 0
    const start = place * this.#partBytes
    const sizeBytes = await writeGathered(this.#file, part, start)
    return {
      sizeBytes,
      read: () =>
        new FileRangeStream(this.#file.fd, { start, end: start + sizeBytes - 1, readBytes: READ_BYTES }, (done) =>
          done(null),
        ),
      release: () => {
        this.#free.push(place)
        this.#waiting?.()
        this.#waiting = null
      },
    }
  }

  /** After the last reader has ended. */
  async close(): Promise<void> {
    await this.#file.close()
  }
}

export interface SpooledPart {
  readonly sizeBytes: number
  /** A new stream over all of it; as often as needed, until it is released. */
  read(): Readable
  /** Frees its place for the next part. */
  release(): void
}
