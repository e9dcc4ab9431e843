import { statfs } from 'node:fs/promises'
import { DomainError } from '../lib/domain-error.ts'
import { fullDisk } from '../lib/disk-full.ts'
import type { Timers } from '../lib/time/timers.ts'

export interface DiskGuardOptions {
  /** Of the disk that holds the data. */
  readonly freeBytes: () => Promise<number>
  /** Called once when the free space can no longer be read. */
  readonly onError: (error: unknown) => void
  /**
   * Bytes of free space below which nothing new is accepted: merges, deletes and the control store need some to
   * continue.
   */
  readonly reserveBytes: number
  /** Called after each check. */
  readonly allowMerges: (allowed: boolean) => void
}

/** Merges stop below this even if the reserve is smaller: other writes must not take the space that a merge needs. */
const LEAST_FOR_MERGES = 64 * 1024 * 1024

/**
 * How often the free space is checked. A commit is some megabytes at most, so the reserve outlasts the time between two
 * checks. While so much is free that no program fills it in five seconds, these are enough.
 */
const LOOK_EVERY_MS = 500
const PLENTY = { bytes: 32 * 1024 * 1024 * 1024, lookEveryMs: 5000 }

/** Closes the intake while the disk is nearly full, and opens it again when there is space. Reads are not affected. */
export class DiskGuard {
  readonly #options: DiskGuardOptions
  #freeBytes = Number.POSITIVE_INFINITY
  #unreadable = false
  #isStopped = false
  #stop: () => void = () => undefined

  constructor(options: DiskGuardOptions) {
    this.#options = options
  }

  /**
   * Checks once, then repeatedly. `onChange` gets the problem, or null when it has ended. Throws when the first check
   * fails.
   */
  async start(timers: Pick<Timers, 'after'>, onChange: (problem: string | null) => void): Promise<void> {
    this.#freeBytes = await this.#options.freeBytes()
    this.#switchMerges()
    if (this.problem() !== null) onChange(this.problem())
    this.#lookLater(timers, onChange)
  }

  stop(): void {
    this.#isStopped = true
    this.#stop()
  }

  #lookLater(timers: Pick<Timers, 'after'>, onChange: (problem: string | null) => void): void {
    const hasPlenty = !this.#unreadable && this.#freeBytes - this.#options.reserveBytes >= PLENTY.bytes
    this.#stop = timers.after(hasPlenty ? PLENTY.lookEveryMs : LOOK_EVERY_MS, () => {
      void this.#look(onChange).finally(() => {
        if (!this.#isStopped) this.#lookLater(timers, onChange)
      })
    })
  }

  /** Shown in the readiness answer, so it contains no path. */
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

  /** The error for a write now, or null. `announcedBytes`: bytes that must fit beside the reserve, if known. */
  refusal(announcedBytes = 0): DomainError | null {
    const room = this.#freeBytes - this.#options.reserveBytes
    if (room >= announcedBytes) return null
    if (room >= 0) {
      return new DomainError('disk_full', 'The disk of the service has no space for so many bytes now.', {
        retryAfterSeconds: 10,
      })
    }
    return fullDisk()
  }
}

/** Free bytes, for this process, of the disk that holds `directory`. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
