import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { DeletedTrace, Journal } from '../../ports/journal/journal.ts'
import type { DeletionJob, DeletionJobStore, DeletionProgress, UserReceipt } from '../../ports/traces/deletion-jobs.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceService } from '../trace-service.ts'
import type { DeletionFilters } from './delete-matching.ts'

export interface DeleteUserDependencies {
  readonly jobs: Pick<DeletionJobStore, 'count' | 'counted'>
  readonly traces: Pick<TraceService, 'findRestorable' | 'deleteForGood'>
  readonly journal: Pick<Journal, 'pendingPurges'>
  /** Without traces that have none. */
  readonly countMetricEvents: (
    projectId: ProjectId,
    traceIds: readonly TraceId[],
  ) => Promise<ReadonlyMap<TraceId, number>>
  readonly countMedia: (traceIds: readonly TraceId[]) => Promise<ReadonlyMap<TraceId, number>>
  /**
   * Removes what other parts made from traces of the project. False while one of them may still use texts of deleted
   * traces: call it again later.
   */
  readonly forgetTexts: (projectId: ProjectId) => Promise<boolean>
  /** Has what was removed until now leave the logs of the databases. */
  readonly emptyLogs: () => void
  /** Removes what other parts store about these traces, which are deleted. */
  readonly forgetTraces: (projectId: ProjectId, traceIds: readonly TraceId[]) => Promise<void>
  /** Whether rows deleted until this time, milliseconds, are removed; not of deletions that could be undone. */
  readonly isPurged: (deletedBy: number) => boolean
  /** Whether the files of what was removed in the project until now, and was deleted until this time, are gone. */
  readonly isOffDisk: (projectId: ProjectId, deletedBy: number) => Promise<boolean>
  /** Writes the receipt of a job that is about to end to the audit log. Durable when it resolves. */
  readonly record: (job: DeletionJob) => Promise<void>
  readonly clock: Clock
}

const COUNTED_TOGETHER = 500
const PENDING_TOGETHER = 1000

/** What the deletion of a user does beside deleting traces. */
export class DeleteUser {
  readonly #dependencies: DeleteUserDependencies
  /** Jobs for whose receipts the logs have been emptied, or will be. */
  readonly #emptied = new Map<JobId, { isOffDisk: boolean }>()

  constructor(dependencies: DeleteUserDependencies) {
    this.#dependencies = dependencies
  }

  /** Makes deletions of the user's traces final that could be undone, and counts these traces. */
  async deleteRestorable(job: DeletionJob): Promise<void> {
    const { projectId, filters } = job
    const asked = JSON.parse(filters) as DeletionFilters
    for await (const found of restorableTraces(this.#dependencies, projectId, asked)) {
      await this.count(job, [found])
      await this.#dependencies.traces.deleteForGood(projectId, found.id, (trace) => isOfUser(trace, asked))
    }
  }

  /** Call it before these traces are deleted. */
  async count({ id, projectId }: DeletionJob, found: readonly TraceRecord[]): Promise<void> {
    if (found.length === 0) return
    const { jobs, countMetricEvents, countMedia } = this.#dependencies
    const traceIds = found.map((trace) => trace.id)
    const [metricEvents, media] = [await countMetricEvents(projectId, traceIds), await countMedia(traceIds)]
    const counted = found.map(({ id: traceId, stepCount }) => ({
      traceId,
      steps: stepCount,
      metricEvents: metricEvents.get(traceId) ?? 0,
      media: media.get(traceId) ?? 0,
    }))
    await jobs.count(id, counted)
  }

  /**
   * The next step of a job when the list has no trace left. It succeeds, and is recorded, when the bytes have left the
   * disk. `at`: now.
   */
  async finish(job: DeletionJob, at: number): Promise<DeletionProgress> {
    const { forgetTexts, emptyLogs, isPurged, isOffDisk, record } = this.#dependencies
    const { id, projectId, done } = job
    const goesOn = { deleted: 0, status: 'running', error: null, at } as const
    if (job.receipt === null) {
      this.#emptied.delete(id)
      if (!(await forgetTexts(projectId))) return goesOn
      const receipt = await this.#receiptOf(job)
      // After a crash, `done` lacks what was deleted in that step.
      return { ...goesOn, deleted: receipt.traces - done, receipt }
    }
    const { goneFromReadsAt } = job.receipt
    // In a later step than the receipt, so that what is removed by then was changed before.
    const step = this.#emptied.get(id)
    if (step === undefined) {
      this.#emptied.set(id, { isOffDisk: false })
      emptyLogs()
      return goesOn
    }
    if (!isPurged(goneFromReadsAt)) return goesOn
    for await (const { restorableUntil } of restorableDeletions(this.#dependencies.journal, projectId)) {
      if (restorableUntil <= goneFromReadsAt) return goesOn
    }
    // Once: it may be asked for the receipt again, if that could not be recorded.
    step.isOffDisk ||= await isOffDisk(projectId, goneFromReadsAt)
    if (!step.isOffDisk) return goesOn
    const receipt = { ...job.receipt, goneFromDiskAt: at }
    // Recorded before the job ends: it ends only if that succeeds, and a crash in between records it twice.
    await record({ ...job, receipt })
    this.#emptied.delete(id)
    return { ...goesOn, status: 'succeeded', receipt }
  }

  async #receiptOf({ id, projectId }: DeletionJob): Promise<UserReceipt> {
    const { jobs, forgetTraces, clock } = this.#dependencies
    const sums = { traces: 0, steps: 0, metricEvents: 0, media: 0 }
    let after: TraceId | null = null
    for (;;) {
      const page = await jobs.counted(id, after, COUNTED_TOGETHER)
      // A discovery that has ended may have stored features of a trace after the trace was removed.
      await forgetTraces(
        projectId,
        page.map(({ traceId }) => traceId),
      )
      for (const { steps, metricEvents, media } of page) {
        sums.traces += 1
        sums.steps += steps
        sums.metricEvents += metricEvents
        sums.media += media
      }
      if (page.length < COUNTED_TOGETHER) return { ...sums, goneFromReadsAt: clock.now(), goneFromDiskAt: null }
      after = page.at(-1)?.traceId ?? null
    }
  }
}

/** The traces of a user whose deletion can, or could, be undone and that are not removed yet. */
export async function* restorableTraces(
  { traces, journal }: RestorableDependencies,
  projectId: ProjectId,
  asked: DeletionFilters,
): AsyncGenerator<TraceRecord> {
  for await (const { traceId } of restorableDeletions(journal, projectId)) {
    const found = await traces.findRestorable(projectId, traceId)
    if (found !== null && isOfUser(found, asked)) yield found
  }
}

/** What the search for such traces needs. */
export interface RestorableDependencies {
  readonly traces: Pick<TraceService, 'findRestorable'>
  readonly journal: Pick<Journal, 'pendingPurges'>
}

function isOfUser(trace: TraceRecord, { userId, endTime }: DeletionFilters): boolean {
  return trace.userId !== null && trace.userId === userId && (endTime === null || trace.createdAt < endTime)
}

/** Deletions of the project that can, or could, be undone and are not removed yet. */
async function* restorableDeletions(
  journal: RestorableDependencies['journal'],
  projectId: ProjectId,
): AsyncGenerator<DeletedTrace & { readonly restorableUntil: number }> {
  let after: TraceId | undefined
  for (;;) {
    const page = await journal.pendingPurges(PENDING_TOGETHER, after)
    for (const deleted of page) {
      const { restorableUntil } = deleted
      if (deleted.projectId === projectId && restorableUntil !== undefined) yield { ...deleted, restorableUntil }
    }
    if (page.length < PENDING_TOGETHER) return
    after = page.at(-1)?.traceId
  }
}
