import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { DomainError } from '../lib/domain-error.ts'
import { fullDisk, freeBytesOf } from '../lib/disk-full.ts'

export interface DeletionReserveOptions {
  readonly directory: string
  readonly sizeBytes?: number
  /** Free bytes, for this process, of the disk that holds `directory`. */
  readonly freeBytes?: () => number
}

export const RESERVE_FILE = 'space-for-deletions'
/**
 * A deletion takes some kilobytes, so this is large enough for a few thousand, including engine files and database
 * logs.
 */
const SIZE_BYTES = 16 * 1024 * 1024
const BLOCK_BYTES = 1024 * 1024

/**
 * A file that only takes up space, to be removed when a client deletes on a full disk: a deletion is written down
 * before it frees anything. While the file is missing, no other write is accepted, because it would use the space up.
 */
export class DeletionReserve {
  readonly #path: string
  readonly #sizeBytes: number
  readonly #freeBytes: () => number
  #isThere = false

  constructor({ directory, sizeBytes = SIZE_BYTES, freeBytes }: DeletionReserveOptions) {
    this.#path = join(directory, RESERVE_FILE)
    this.#sizeBytes = sizeBytes
    this.#freeBytes = freeBytes ?? (() => freeBytesOf(directory))
    this.#isThere = existsSync(this.#path)
  }

  /**
   * Makes the file if it does not exist and as much again stays free. Call it at the start and now and then. Throws the
   * system's error.
   */
  restore(): void {
    if (this.#isThere || this.#freeBytes() < 2 * this.#sizeBytes) return
    this.#write()
    this.#isThere = true
  }

  /** Before a deletion is accepted: removes the file if the rest of the disk may not be enough. */
  makeRoom(): void {
    if (!this.#isThere || this.#freeBytes() >= this.#sizeBytes / 2) return
    unlinkSync(this.#path)
    this.#isThere = false
  }

  /** The error for any other write while the file is missing; null while it exists or is not needed. */
  refusal(): DomainError | null {
    if (this.#isThere || this.#freeBytes() >= 2 * this.#sizeBytes) return null
    return fullDisk()
  }

  /** Bytes that no file system can compress. */
  #write(): void {
    const block = randomBytes(BLOCK_BYTES)
    const file = openSync(this.#path, 'w', 0o600)
    try {
      for (let written = 0; written < this.#sizeBytes;) {
        written += writeSync(file, block, 0, Math.min(block.length, this.#sizeBytes - written))
      }
      fsyncSync(file)
    } catch (error) {
      rmSync(this.#path, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
  }
}
