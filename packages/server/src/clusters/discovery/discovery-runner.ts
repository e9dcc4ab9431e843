import type { JobId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { DiscoveryJob, DiscoveryProgress, DiscoveryResult } from '../../ports/clusters/discovery-job.ts'
import type { DiscoveryJobStore } from '../../ports/clusters/discovery-job-store.ts'
import { moveJob } from '../../ports/clusters/job-machine.ts'
import { WorkerFailure } from '../worker/cluster-worker.ts'

export interface DiscoveryRunnerDependencies {
  readonly jobs: Pick<DiscoveryJobStore, 'take' | 'renew' | 'finish' | 'takeBack'>
  /** Names this process among those on one store. One that starts again under its name takes its jobs back at once. */
  readonly holder: string
  readonly clock: Clock
  readonly timers: Pick<Timers, 'every'>
  /**
   * Null, and nothing was written, when another process took the job meanwhile. Rejects, too, when `stop` was called
   * and ended what it waited for.
   */
  readonly run: (
    job: DiscoveryJob,
    startedAt: number,
    onProgress: (progress: DiscoveryProgress) => void,
  ) => Promise<DiscoveryResult | null>
  readonly onError: (error: unknown, message: string) => void
}

/** A job that takes the whole service down with it is not tried for ever. */
const MOST_ATTEMPTS = 3
/** With the time to the next look, a process that dies delays its job by at most 15 s. */
const LEASE_MS = 10_000
/** Two renewals may fail before the lease ends. */
const RENEW_EVERY_MS = 3000

/**
 * Runs the jobs that wait, one at a time in this process, in the order they came: one of each project at most waits, so
 * that every project gets its turn. Holds each by a lease meanwhile (DiscoveryJobStore). What it finds out too late,
 * that another process took the job, the store finds out: nothing that it writes then is taken.
 */
export class DiscoveryRunner {
  readonly #dependencies: DiscoveryRunnerDependencies
  #progress: { readonly id: JobId; readonly progress: DiscoveryProgress } | null = null
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  /** Called since it last began to look for a job. */
  #isWoken = false
  #stopped = false

  constructor(dependencies: DiscoveryRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Looks for jobs that wait; when it is at work, behind that. */
  wake(): void {
    this.#isWoken = true
    if (this.#stopped || this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#runAll().catch((error: unknown) =>
      this.#dependencies.onError(error, 'discoveries could not go on'),
    )
  }

  /** Null unless it runs, in this process. */
  progressOf(id: JobId): DiscoveryProgress | null {
    return this.#progress?.id === id ? this.#progress.progress : null
  }

  /** Starts nothing more. Resolves when what runs has ended, which whoever calls it sees to. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #runAll(): Promise<void> {
    const { jobs, holder } = this.#dependencies
    try {
      while (!this.#stopped) {
        this.#isWoken = false
        await jobs.takeBack(holder, LEASE_MS, (job) => this.#takenBack(job))
        const job = await jobs.take(holder, LEASE_MS)
        if (job !== null) await this.#runOne(job)
        else if (!this.#isWoken) return
      }
    } finally {
      // With nothing between it and the last look at `#isWoken`: who adds a job then wakes it again.
      this.#isRunning = false
    }
  }

  /** Its process ended while it ran, or could not write its end. */
  #takenBack(job: DiscoveryJob): DiscoveryJob {
    if (job.attempts < MOST_ATTEMPTS) return { ...job, status: moveJob(job.status, 'interrupt') }
    return failed(job, `The service ended ${MOST_ATTEMPTS} times while this ran.`, this.#dependencies.clock.now())
  }

  async #runOne(job: DiscoveryJob): Promise<void> {
    const { jobs, clock, timers, run, onError } = this.#dependencies
    const onProgress = (progress: DiscoveryProgress) => (this.#progress = { id: job.id, progress })
    onProgress({ phase: 'listing', share: 0 })
    const endRenewing = timers.every(RENEW_EVERY_MS, () => void this.#renew(job))
    let after: DiscoveryJob | null
    try {
      const result = await run(job, job.startedAt ?? clock.now(), onProgress)
      after = result && { ...job, status: moveJob(job.status, 'succeed'), result, finishedAt: clock.now() }
    } catch (error) {
      after = this.#afterError(job, error)
    } finally {
      endRenewing()
      this.#progress = null
    }
    if (after !== null && (await jobs.finish(after))) return
    onError(new Error(`the lease of ${job.id} had ended`), 'a discovery was taken over by another process')
  }

  async #renew(job: DiscoveryJob): Promise<void> {
    try {
      await this.#dependencies.jobs.renew(job, LEASE_MS)
    } catch (error) {
      this.#dependencies.onError(error, 'the lease of a discovery could not be renewed; it is tried again')
    }
  }

  #afterError(job: DiscoveryJob, error: unknown): DiscoveryJob {
    // That attempt does not count: nothing was wrong with the job.
    if (this.#stopped) return { ...job, status: moveJob(job.status, 'interrupt'), attempts: job.attempts - 1 }
    this.#dependencies.onError(error, 'a discovery failed')
    return failed(job, wordsOf(error), this.#dependencies.clock.now())
  }
}

function failed(job: DiscoveryJob, error: string, finishedAt: number): DiscoveryJob {
  return { ...job, status: moveJob(job.status, 'fail'), error, finishedAt }
}

function wordsOf(error: unknown): string {
  if (error instanceof DomainError || error instanceof WorkerFailure) return error.message
  return 'Something went wrong inside the service; its log says what.'
}
