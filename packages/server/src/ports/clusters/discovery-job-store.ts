import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { DiscoveryJob } from './discovery-job.ts'
import type { JobStatus } from './job-machine.ts'

/** Finished jobs kept of each project. */
export const JOBS_KEPT = 100

/**
 * Where discoveries wait and are remembered. Every write is durable when it resolves, and waits without holding up anything else while the worker writes. Rejects with DomainError
 * `disk_full` or `storage_unavailable`: nothing is written then.
 */
export interface DiscoveryJobStore {
  /** Adds the job, unless the project has one that waits or runs; returns the one that it has then. */
  add(job: DiscoveryJob): Promise<DiscoveryJob>
  find(projectId: ProjectId, id: JobId): DiscoveryJob | undefined
  /** Of the project, newest first: those made before `before`, or all. */
  list(projectId: ProjectId, before: JobId | null, limit: number): readonly DiscoveryJob[]
  /** The one that has waited longest. A project's next job comes behind those of all others that wait, so that none is passed over. */
  nextQueued(): DiscoveryJob | undefined
  /** All that are said to run. */
  running(): readonly DiscoveryJob[]
  /** Of a job as it was read with `from`. False, and nothing happens, when it is not in that state any more. Of the project's finished jobs the newest JOBS_KEPT stay. */
  replace(from: JobStatus, job: DiscoveryJob): Promise<boolean>
}
