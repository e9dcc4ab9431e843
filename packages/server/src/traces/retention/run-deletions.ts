import type { JobId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { DeletionJob, DeletionJobStore } from '../../ports/traces/deletion-jobs.ts'
import type { TraceUseCases } from '../use-cases.ts'
import type { CountTraces, DeletionFilters } from './delete-matching.ts'
import type { DeleteUser } from './delete-user.ts'

interface RunDeletionsDependencies {
  readonly jobs: Pick<DeletionJobStore, 'nextOpen' | 'advance' | 'prune'>
  readonly traces: Pick<TraceUseCases, 'list' | 'delete'>
  readonly countTraces: CountTraces
  /** Whether the project still wants it: its retention may have become longer since the job was made. */
  readonly isWanted: (job: DeletionJob) => Promise<boolean>
  readonly ofUsers: Pick<DeleteUser, 'deleteRestorable' | 'count' | 'finish'>
  readonly clock: Clock
  /** How often is looked for new jobs. */
  readonly lookEveryMs: number
}

/** Deleted together: they share commits. */
const TOGETHER = 100
/** How long ended jobs are kept. */
const KEPT_MS = 30 * 86_400_000
/** Between steps at most, and until a job is tried again that waits for the disk. */
const PAUSE_MS = 1000
/** After a failed step of a job, the others have their turns for this long. */
const RETRY_MS = 10_000
/** The store may take them later: the step is tried again. */
const TEMPORARY = new Set(['storage_unavailable', 'disk_full', 'queue_full', 'too_many_reads', 'shutting_down'])

/**
 * Runs the jobs of deletions in turns, in steps of 100 traces. A step asks the list for traces that match, so after a
 * crash a job goes on with those that are left.
 */
export class RunDeletions {
  readonly #dependencies: RunDeletionsDependencies
  /** The job of the last step. */
  #last: JobId | null = null
  /** Where the list of each job goes on, and whether it had traces since its beginning. */
  readonly #walks = new Map<JobId, { readonly cursor: string; readonly hasFound: boolean }>()
  /** When a job whose step failed, or that waits for the disk, is tried again. */
  readonly #retryAt = new Map<JobId, number>()

  constructor(dependencies: RunDeletionsDependencies) {
    this.#dependencies = dependencies
  }

  /** One step. Resolves with how many milliseconds later the next one is due: readers get twice its time. */
  async round(): Promise<number> {
    const { jobs, clock, lookEveryMs } = this.#dependencies
    const began = clock.now()
    const job = await this.#next(began)
    // Once there is none, the next look is for the first of all: that is one query.
    this.#last = job?.id ?? null
    if (job === undefined) return this.#retryAt.size > 0 ? PAUSE_MS : lookEveryMs
    try {
      if (await this.#step(job)) this.#retryAt.delete(job.id)
      else this.#retryAt.set(job.id, clock.now() + PAUSE_MS)
    } catch (error) {
      if (!(error instanceof DomainError) || TEMPORARY.has(error.code)) {
        this.#retryAt.set(job.id, clock.now() + RETRY_MS)
        throw error
      }
      await jobs.advance(job.id, { deleted: 0, status: 'failed', error: error.message, at: clock.now() })
    }
    return Math.min(PAUSE_MS, Math.max(0, 2 * (clock.now() - began)))
  }

  /** Forgets jobs that ended 30 days ago, 100 in a call. */
  async prune(): Promise<void> {
    const { jobs, clock } = this.#dependencies
    await jobs.prune(clock.now() - KEPT_MS, TOGETHER)
  }

  /** Undefined if there is none, or none but those that are tried again later. */
  async #next(now: number): Promise<DeletionJob | undefined> {
    let after = this.#last
    for (let left = this.#retryAt.size; left >= 0; left--) {
      const job = await this.#dependencies.jobs.nextOpen(after)
      if (job === undefined) this.#retryAt.clear()
      if (job === undefined || (this.#retryAt.get(job.id) ?? now) <= now) return job
      after = job.id
    }
    return undefined
  }

  /** False if nothing is left to do now. */
  async #step(job: DeletionJob): Promise<boolean> {
    const { jobs, traces, countTraces, isWanted, clock, ofUsers } = this.#dependencies
    const { id, projectId, kind, done, total } = job
    if (!(await isWanted(job))) {
      await jobs.advance(id, { deleted: 0, status: 'cancelled', error: null, at: clock.now() })
      this.#walks.delete(id)
      return true
    }
    const { cursor, hasFound } = this.#walks.get(id) ?? { cursor: null, hasFound: false }
    const isOfUser = kind === 'user.delete'
    const filters = JSON.parse(job.filters) as DeletionFilters
    if (isOfUser && cursor === null) await ofUsers.deleteRestorable(job)
    // A crash leaves out of `done` what its step deleted, TOGETHER at most. For a user, the receipt makes up for it.
    const left = isOfUser || cursor !== null ? total - done : await countTraces(projectId, filters)
    const { traces: found, nextCursor } = await traces.list({
      ...filters,
      projectId,
      sort: 'created_at',
      order: 'desc',
      limit: TOGETHER,
      cursor,
    })
    const isEmpty = !hasFound && found.length === 0
    if (isOfUser && isEmpty && nextCursor === null) {
      this.#walks.delete(id)
      const progress = await ofUsers.finish(job, clock.now())
      await jobs.advance(id, progress)
      return progress.status !== 'running'
    }
    if (isOfUser) await ofUsers.count(job, found)
    const deletion = { isExpired: kind === 'retention' }
    const outcomes = await Promise.allSettled(found.map((trace) => traces.delete(projectId, trace.id, deletion)))
    const missed = Math.min(TOGETHER, Math.max(0, total - done - left))
    const deleted = missed + outcomes.filter((outcome) => outcome.status === 'fulfilled').length
    const failure = outcomes.find((outcome) => outcome.status === 'rejected' && !isGone(outcome.reason))
    const isLast = !isOfUser && failure === undefined && nextCursor === null
    // Traces may have come back meanwhile: then the receipt begins anew.
    const began = isEmpty ? {} : { receipt: null }
    const progress = { deleted, status: isLast ? 'succeeded' : 'running', error: null, ...began } as const
    const goesOn = await jobs.advance(id, { ...progress, at: clock.now() })
    // After a failure the same page is read again: it has those that are left.
    if (failure?.status === 'rejected') throw failure.reason
    if (goesOn && nextCursor !== null) this.#walks.set(id, { cursor: nextCursor, hasFound: !isEmpty })
    else this.#walks.delete(id)
    return true
  }
}

/** Deleted by another request meanwhile. */
function isGone(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'not_found'
}
