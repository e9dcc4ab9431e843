import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { JobKind } from '@spoor/contract/schemas/deletion'
import type { DeletionJob, DeletionJobStore, DeletionProgress } from './deletion-jobs.ts'

/** For tests. */
export class MemoryDeletionJobs implements DeletionJobStore {
  readonly #jobs = new Map<JobId, DeletionJob>()

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

  async advance(id: JobId, { deleted, status, error, at }: DeletionProgress): Promise<boolean> {
    const job = this.#jobs.get(id)
    if (job === undefined) return false
    const isOpen = job.finishedAt === null
    const finishedAt = status === 'queued' || status === 'running' ? null : at
    this.#jobs.set(id, { ...job, done: job.done + deleted, ...(isOpen && { status, error, finishedAt }) })
    return isOpen
  }

  async prune(endedBy: number, limit: number): Promise<void> {
    const ended = [...this.#jobs.values()].filter(({ finishedAt }) => finishedAt !== null && finishedAt < endedBy)
    for (const { id } of ended.slice(0, limit)) this.#jobs.delete(id)
  }
}
