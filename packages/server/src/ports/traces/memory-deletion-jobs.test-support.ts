import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { JobKind } from '@spoor/contract/schemas/deletion'
import type { CountedTrace, DeletionJob, DeletionJobStore, DeletionProgress } from './deletion-jobs.ts'

/** For tests. */
export class MemoryDeletionJobs implements DeletionJobStore {
  readonly #jobs = new Map<JobId, DeletionJob>()
  readonly #counts = new Map<JobId, Map<TraceId, CountedTrace>>()

  async add(job: DeletionJob): Promise<void> {
    this.#jobs.set(job.id, job)
  }

  async find(projectId: ProjectId, id: JobId): Promise<DeletionJob | undefined> {
    const job = this.#jobs.get(id)
    return job?.projectId === projectId ? job : undefined
  }

  async nextOpen(after: JobId | null): Promise<DeletionJob | undefined> {
    const open = this.#open().sort((a, b) => (a.id < b.id ? -1 : 1))
    return open.find(({ id }) => after === null || id > after) ?? open[0]
  }

  async hasOpen(projectId: ProjectId, kind: JobKind): Promise<boolean> {
    return this.#open().some((job) => job.projectId === projectId && job.kind === kind)
  }

  #open(): DeletionJob[] {
    return [...this.#jobs.values()].filter(({ finishedAt }) => finishedAt === null)
  }

  async advance(id: JobId, { deleted, status, error, receipt, at }: DeletionProgress): Promise<boolean> {
    const job = this.#jobs.get(id)
    if (job === undefined) return false
    const isOpen = job.finishedAt === null
    const finishedAt = status === 'queued' || status === 'running' ? null : at
    this.#jobs.set(id, {
      ...job,
      done: job.done + deleted,
      receipt: receipt === undefined ? job.receipt : receipt,
      ...(isOpen && { status, error, finishedAt }),
    })
    if (finishedAt !== null || !isOpen) this.#counts.delete(id)
    return isOpen
  }

  async count(id: JobId, traces: readonly CountedTrace[]): Promise<void> {
    const counts = this.#counts.get(id) ?? new Map<TraceId, CountedTrace>()
    for (const trace of traces) counts.set(trace.traceId, trace)
    this.#counts.set(id, counts)
  }

  async counted(id: JobId, after: TraceId | null, limit: number): Promise<readonly CountedTrace[]> {
    const counts = [...(this.#counts.get(id)?.values() ?? [])].sort((a, b) => (a.traceId < b.traceId ? -1 : 1))
    return counts.filter(({ traceId }) => traceId > (after ?? '')).slice(0, limit)
  }

  async prune(endedBy: number, limit: number): Promise<void> {
    const ended = [...this.#jobs.values()].filter(({ finishedAt }) => finishedAt !== null && finishedAt < endedBy)
    for (const { id } of ended.slice(0, limit)) this.#jobs.delete(id)
  }
}
