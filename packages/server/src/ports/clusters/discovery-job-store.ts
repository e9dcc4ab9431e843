import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { DiscoveryJob, JobEpoch } from './discovery-job.ts'

/**
 * Where discoveries wait and are remembered. Of all processes on one store at most one holds a job: by a lease, which
 * it renews while it runs the job. When it does not, another process takes the job back. A process that was stopped and
 * goes on may still believe that it holds the job, so whatever it writes about it carries the job's `epoch`, which
 * grows whenever the job is taken, and is refused when it is stale. That applies to DiscoveryMemory.applyRun, too. An
 * end that has passed makes nothing stale: until the job is taken back, its process may write and renew.
 *
 * A read returns what was committed before it. Every write is one transaction, durable when it resolves, and waits
 * without blocking the event loop while another process or thread writes. Methods reject with DomainError `disk_full`
 * or `storage_unavailable`: nothing is changed then.
 */
export interface DiscoveryJobStore {
  /**
   * Adds the job unless the project has one that waits or runs; returns the one that it has then. Of several at once
   * one is added. `job` MUST be queued.
   */
  add(job: DiscoveryJob): Promise<DiscoveryJob>
  /** Undefined when there is none or it is another project's. */
  find(projectId: ProjectId, id: JobId): Promise<DiscoveryJob | undefined>
  /** Of the project, newest first: those with an id less than `before`, or all. */
  list(projectId: ProjectId, before: JobId | null, limit: number): Promise<readonly DiscoveryJob[]>
  /**
   * Starts the job that has waited longest, that is the one with the least id, for `holder`: it runs now, with one more
   * attempt, under a new epoch and a lease until `durationMs` from now. Of several processes at once one gets it. A
   * project's next job comes behind those of all others that wait, so that none is passed over. Null when none waits.
   */
  take(holder: string, durationMs: number): Promise<DiscoveryJob | null>
  /** Moves the end of its lease to `durationMs` from now. False when it does not run under this epoch any more. */
  renew(job: JobEpoch, durationMs: number): Promise<boolean>
  /**
   * Ends what `take` began: `job` is succeeded, failed, or queued again. Of the project's finished jobs the newest
   * CLUSTER_RUNS_KEPT stay. False, and nothing is changed, when the job does not run under this epoch any more.
   */
  finish(job: DiscoveryJob): Promise<boolean>
  /**
   * Replaces each job that is said to run while nobody runs it by what `move` makes of it, as `finish` does. Those are
   * jobs whose lease has ended, and all of `holder`, which MUST run none while it calls this: it ended while it ran
   * one, or could not write its end. A lease that ends more than twice `durationMs` from now counts as ended: the clock
   * was set back. `move` may be called twice for a job and MUST NOT wait.
   */
  takeBack(holder: string, durationMs: number, move: (job: DiscoveryJob) => DiscoveryJob): Promise<void>
}
