import type { JobId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { backoffDelayMs } from '../../lib/time/backoff.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type {
  DiscoveryJob,
  DiscoveryLane,
  DiscoveryProgress,
  DiscoveryResult,
} from '../../ports/clusters/discovery-job.ts'
import type { DiscoveryJobStore } from '../../ports/clusters/discovery-job-store.ts'
import { moveJob } from '../../ports/clusters/job-machine.ts'
import { WorkerFailure } from '../worker/cluster-worker.ts'

export interface DiscoveryRunnerDependencies {
  readonly lane: DiscoveryLane
  readonly jobs: Pick<DiscoveryJobStore, 'take' | 'renew' | 'finish' | 'takeBack'>
  /**
   * Identifies this process among those on one store. A process that starts again under the same name takes its jobs
   * back at once.
   */
  readonly holder: string
  readonly clock: Clock
  readonly timers: Pick<Timers, 'every' | 'after'>
  /**
   * Resolves with null, and writes nothing, when another process took the job meanwhile, and with `too_long` when the
   * job is not for the short lane. Also rejects when `stop` interrupted it.
   */
  readonly run: (
    job: DiscoveryJob,
    startedAt: number,
    onProgress: (progress: DiscoveryProgress) => void,
  ) => Promise<DiscoveryResult | 'too_long' | null>
  /** Called when a job was moved to the long lane. */
  readonly onMoved: () => void
  readonly onError: (error: unknown, message: string) => void
}

/** A job that ends the whole service is not retried for ever. */
const MOST_ATTEMPTS = 3
/** Tries of one attempt while a store is away: with their pauses, at least three minutes. Then others have a turn. */
const MOST_TRIES = 8
/** A job that a store was away for so long after its request fails. */
const MOST_WAIT_MS = 6 * 3_600_000
const OUTAGE_BACKOFF = { firstMs: 2000, maxMs: 60_000 }
/** Together with the interval of the check, a process that dies delays its job by at most 15 s. */
const LEASE_MS = 10_000
/** Two renewals may fail before the lease ends. */
const RENEW_EVERY_MS = 3000

/**
 * Runs queued jobs of a lane, one at a time in this process, oldest first. A project has at most one queued job, so
 * every project gets its turn. A lease protects each running job (DiscoveryJobStore). If another process took the job
 * and this one has not noticed yet, the store refuses its writes.
 */
export class DiscoveryRunner {
  readonly #dependencies: DiscoveryRunnerDependencies
  #progress: { readonly id: JobId; readonly progress: DiscoveryProgress } | null = null
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  /** Whether `wake` was called since the last search for a job started. */
  #isWoken = false
  #stopped = false
  #endPause: () => void = () => undefined

  constructor(dependencies: DiscoveryRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Checks for queued jobs; while a job runs, after it. */
  wake(): void {
    this.#isWoken = true
    if (this.#stopped || this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#runAll().catch((error: unknown) =>
      this.#dependencies.onError(error, 'discoveries could not continue'),
    )
  }

  /** Null unless it runs, in this process. */
  progressOf(id: JobId): DiscoveryProgress | null {
    return this.#progress?.id === id ? this.#progress.progress : null
  }

  /** Starts no further job. Resolves when the running job has ended; the caller must interrupt it. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#endPause()
    await this.#running
  }

  async #runAll(): Promise<void> {
    const { jobs, lane, holder } = this.#dependencies
    try {
      while (!this.#stopped) {
        this.#isWoken = false
        const mayWait = await jobs.takeBack(lane, holder, LEASE_MS, (job) => this.#takenBack(job))
        const job = mayWait ? await jobs.take(lane, holder, LEASE_MS) : null
        if (job !== null) await this.#runOne(job)
        else if (!this.#isWoken) return
      }
    } finally {
      // Set without a turn between it and the last check of `#isWoken`: a job added after that wakes the runner again.
      this.#isRunning = false
    }
  }

  /** The process of the job ended while it ran, or could not write its end. */
  #takenBack(job: DiscoveryJob): DiscoveryJob {
    if (job.attempts < MOST_ATTEMPTS) return { ...job, status: moveJob(job.status, 'interrupt') }
    return failed(job, `The service ended ${MOST_ATTEMPTS} times while this ran.`, this.#dependencies.clock.now())
  }

  async #runOne(job: DiscoveryJob): Promise<void> {
    const { jobs, clock, timers, onMoved, onError } = this.#dependencies
    const onProgress = (progress: DiscoveryProgress) => (this.#progress = { id: job.id, progress })
    onProgress({ phase: 'listing', share: 0 })
    const endRenewing = timers.every(RENEW_EVERY_MS, () => void this.#renew(job))
    let after: DiscoveryJob | null
    try {
      const result = await this.#runThroughOutages(job, onProgress)
      if (result === 'too_long') after = { ...again(job), lane: 'long' }
      else after = result && { ...job, status: moveJob(job.status, 'succeed'), result, finishedAt: clock.now() }
    } catch (error) {
      after = this.#afterError(job, error)
    } finally {
      endRenewing()
      this.#progress = null
    }
    if (after === null || !(await jobs.finish(after)))
      onError(new Error(`the lease of ${job.id} had ended`), 'a discovery was taken over by another process')
    else if (after.lane !== job.lane) onMoved()
  }

  /** What a try has stored is not computed again by the next one. */
  async #runThroughOutages(job: DiscoveryJob, onProgress: (progress: DiscoveryProgress) => void) {
    const { clock, run, onError } = this.#dependencies
    for (let tries = 1; ; tries++) {
      try {
        return await run(job, job.startedAt ?? clock.now(), onProgress)
      } catch (error) {
        if (!isOutage(error) || tries === MOST_TRIES || this.#stopped) throw error
        onError(error, 'a discovery waits for a store and is tried again')
        await this.#pause(backoffDelayMs(OUTAGE_BACKOFF, tries, 1))
        if (this.#stopped) throw error
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#dependencies.timers.after(ms, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  async #renew(job: DiscoveryJob): Promise<void> {
    try {
      await this.#dependencies.jobs.renew(job, LEASE_MS)
    } catch (error) {
      this.#dependencies.onError(error, 'the lease of a discovery could not be renewed and is retried')
    }
  }

  #afterError(job: DiscoveryJob, error: unknown): DiscoveryJob {
    const { clock, onError } = this.#dependencies
    if (this.#stopped || (isOutage(error) && clock.now() < job.createdAt + MOST_WAIT_MS)) return again(job)
    onError(error, 'a discovery failed')
    return failed(job, wordsOf(error), clock.now())
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'storage_unavailable'
}

/** That attempt does not count: the job was not at fault. */
function again(job: DiscoveryJob): DiscoveryJob {
  return { ...job, status: moveJob(job.status, 'interrupt'), attempts: job.attempts - 1 }
}

function failed(job: DiscoveryJob, error: string, finishedAt: number): DiscoveryJob {
  return { ...job, status: moveJob(job.status, 'fail'), error, finishedAt }
}

function wordsOf(error: unknown): string {
  if (error instanceof DomainError || error instanceof WorkerFailure) return error.message
  return 'Something went wrong inside the service; its log says what.'
}
