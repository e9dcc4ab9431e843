import { statfs } from 'node:fs/promises'
import { DomainError } from '../lib/domain-error.ts'
import type { Timers } from '../lib/timers.ts'

export interface DiskGuardOptions {
  readonly directory: string
  /** Free space below which nothing new is taken, bytes: merges, deletes and the control store need some to go on. */
  readonly reserveBytes: number
}

/** How often the free space is looked at. A commit is some megabytes at most: the reserve outlasts the time between two looks. */
const LOOK_EVERY_MS = 500

/** Closes the intake while the disk is nearly full, and opens it again by itself when there is space. Reads are not its business. */
export class DiskGuard {
  readonly #options: DiskGuardOptions
  #freeBytes = Number.POSITIVE_INFINITY
  #stop: () => void = () => undefined

  constructor(options: DiskGuardOptions) {
    this.#options = options
  }

  /** Looks once, then every half second. `onChange` is told why intake is closed, or null when it is open again. */
  async start(timers: Pick<Timers, 'every'>, onChange: (problem: string | null) => void): Promise<void> {
    const look = async () => {
      const before = this.problem()
      const { bavail, bsize } = await statfs(this.#options.directory)
      this.#freeBytes = bavail * bsize
      const now = this.problem()
      if ((before === null) !== (now === null)) onChange(now)
    }
    await look()
    this.#stop = timers.every(LOOK_EVERY_MS, () => {
      look().catch((error: unknown) => onChange(`free disk space cannot be read: ${String(error)}`))
    })
  }

  stop(): void {
    this.#stop()
  }

  problem(): string | null {
    const { reserveBytes } = this.#options
    if (this.#freeBytes >= reserveBytes) return null
    const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024)
    // Shown to whoever asks whether the service is ready: no path in it.
    return `only ${mebibytes(this.#freeBytes)} MB of disk are free; ${mebibytes(reserveBytes)} MB must stay free`
  }

  /** The answer to whoever wants to write now, or null. */
  refusal(): DomainError | null {
    if (this.problem() === null) return null
    return new DomainError('disk_full', 'The disk of the service is full. Nothing new is taken until there is space.', {
      retryAfterSeconds: 10,
    })
  }
}
