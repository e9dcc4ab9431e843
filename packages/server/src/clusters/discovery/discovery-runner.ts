import type { JobId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { DiscoveryJob, DiscoveryProgress, DiscoveryResult } from '../../ports/clusters/discovery-job.ts'
import type { DiscoveryJobStore } from '../../ports/clusters/discovery-job-store.ts'
import { moveJob } from '../../ports/clusters/job-machine.ts'
import { WorkerFailure } from '../worker/cluster-worker.ts'

export interface DiscoveryRunnerDependencies {
  readonly jobs: DiscoveryJobStore
  readonly clock: Clock
  /** Rejects, too, when `stop` was called and ended what it waited for. */
  readonly run: (
    job: DiscoveryJob,
    startedAt: number,
    onProgress: (progress: DiscoveryProgress) => void,
  ) => Promise<DiscoveryResult>
  readonly onError: (error: unknown, message: string) => void
}

/** A job that takes the whole service down with it is not tried for ever. */
const MOST_ATTEMPTS = 3

/** Runs the jobs that wait, one at a time, in the order they came: one of each project at most waits, so that every project gets its turn. */
export class DiscoveryRunner {
  readonly #dependencies: DiscoveryRunnerDependencies
  #progress: { readonly id: JobId; readonly progress: DiscoveryProgress } | null = null
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  #stopped = false

  constructor(dependencies: DiscoveryRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Looks for jobs that wait, unless it is at work already. */
  wake(): void {
    if (this.#stopped || this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#runAll().catch((error: unknown) =>
      this.#dependencies.onError(error, 'discoveries could not go on'),
    )
  }

  /** Null unless it runs. */
  progressOf(id: JobId): DiscoveryProgress | null {
    return this.#progress?.id === id ? this.#progress.progress : null
  }

  /** Starts nothing more. Resolves when what runs has ended, which whoever calls it sees to. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #runAll(): Promise<void> {
    try {
      await this.#takeBack()
      while (!this.#stopped) {
        const job = this.#dependencies.jobs.nextQueued()
        if (job === undefined) return
        await this.#runOne(job)
      }
    } finally {
      // With nothing between it and the last look: who adds a job then wakes it again.
      this.#isRunning = false
    }
  }

  /** What is said to run while nothing does waits again: the process ended while it ran, or its end could not be written. */
  async #takeBack(): Promise<void> {
    const { jobs, clock } = this.#dependencies
    for (const job of jobs.running()) {
      const interrupted =
        job.attempts < MOST_ATTEMPTS
          ? { ...job, status: moveJob(job.status, 'interrupt') }
          : failed(job, `The service ended ${MOST_ATTEMPTS} times while this ran.`, clock.now())
      await jobs.replace(job.status, interrupted)
    }
  }

  async #runOne(job: DiscoveryJob): Promise<void> {
    const { jobs, clock, run } = this.#dependencies
    const startedAt = clock.now()
    const running = { ...job, status: moveJob(job.status, 'start'), attempts: job.attempts + 1, startedAt }
    if (!(await jobs.replace(job.status, running))) return
    const onProgress = (progress: DiscoveryProgress) => (this.#progress = { id: job.id, progress })
    onProgress({ phase: 'listing', share: 0 })
    let after: DiscoveryJob
    try {
      const result = await run(running, startedAt, onProgress)
      after = { ...running, status: moveJob(running.status, 'succeed'), result, finishedAt: clock.now() }
    } catch (error) {
      after = this.#afterError(running, error)
    } finally {
      this.#progress = null
    }
    await jobs.replace(running.status, after)
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
