import { statfs } from 'node:fs/promises'
import { DomainError } from '../lib/domain-error.ts'
import type { Timers } from '../lib/time/timers.ts'

export interface DiskGuardOptions {
  /** Of the disk that holds the data. */
  readonly freeBytes: () => Promise<number>
  /** Told once when the free space can no longer be read. */
  readonly onError: (error: unknown) => void
  /** Free space below which nothing new is taken, bytes: merges, deletes and the control store need some to go on. */
  readonly reserveBytes: number
  /** Called after each look. */
  readonly allowMerges: (allowed: boolean) => void
}

/** Merges stop below this even when the reserve is smaller: other writes must not take the space that a merge counts on. */
const LEAST_FOR_MERGES = 64 * 1024 * 1024

/** How often the free space is looked at. A commit is some megabytes at most: the reserve outlasts the time between two looks. */
const LOOK_EVERY_MS = 500

/** Closes the intake while the disk is nearly full, and opens it again by itself when there is space. Reads are not its business. */
export class DiskGuard {
  readonly #options: DiskGuardOptions
  #freeBytes = Number.POSITIVE_INFINITY
  #unreadable = false
  #stop: () => void = () => undefined

  constructor(options: DiskGuardOptions) {
    this.#options = options
  }

  /** Looks once, then every half second. `onChange` is told what is wrong, or null when nothing is any more. Throws when the first look fails. */
  async start(timers: Pick<Timers, 'every'>, onChange: (problem: string | null) => void): Promise<void> {
    this.#freeBytes = await this.#options.freeBytes()
    this.#switchMerges()
    if (this.problem() !== null) onChange(this.problem())
    this.#stop = timers.every(LOOK_EVERY_MS, () => void this.#look(onChange))
  }

  stop(): void {
    this.#stop()
  }

  /** Shown to whoever asks whether the service is ready: no path in it. */
  problem(): string | null {
    if (this.#unreadable) return 'the free disk space cannot be read'
    const { reserveBytes } = this.#options
    if (this.#freeBytes >= reserveBytes) return null
    const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024)
    return `only ${mebibytes(this.#freeBytes)} MB of disk are free; ${mebibytes(reserveBytes)} MB must stay free`
  }

  async #look(onChange: (problem: string | null) => void): Promise<void> {
    const before = this.problem()
    try {
      this.#freeBytes = await this.#options.freeBytes()
      this.#unreadable = false
    } catch (error) {
      if (!this.#unreadable) this.#options.onError(error)
      this.#unreadable = true
    }
    this.#switchMerges()
    const now = this.problem()
    if ((before === null) !== (now === null)) onChange(now)
  }

  #switchMerges(): void {
    this.#options.allowMerges(this.problem() === null && this.#freeBytes >= LEAST_FOR_MERGES)
  }

  /** The answer to whoever wants to write now, or null. `announcedBytes`: what would have to fit beside the reserve, as far as it is known. */
  refusal(announcedBytes = 0): DomainError | null {
    const room = this.#freeBytes - this.#options.reserveBytes
    if (room >= announcedBytes) return null
    if (room >= 0) {
      return new DomainError('disk_full', 'The disk of the service has no room for so many bytes now.', {
        retryAfterSeconds: 10,
      })
    }
    return new DomainError('disk_full', 'The disk of the service is full. Nothing new is taken until there is space.', {
      retryAfterSeconds: 10,
    })
  }
}

/** Free bytes, for this process, of the disk that holds `directory`. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
