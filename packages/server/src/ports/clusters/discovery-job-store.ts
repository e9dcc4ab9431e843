import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import type { DiscoveryJob, DiscoveryLane, JobEpoch } from './discovery-job.ts'

/**
 * The queue and the history of discoveries. At most one of all processes on one store holds a job: by a lease, which it
 * renews while it runs the job. Otherwise another process takes the job back. A suspended process that continues may
 * still believe that it holds the job. So each write about a job carries its `epoch`, which grows whenever the job is
 * taken, and is refused when the epoch is stale. That applies to DiscoveryMemory.applyRun, too. The end of a lease
 * alone makes nothing stale: until the job is taken back, its process may write and renew.
 *
 * A read returns what was committed before it. Every write is one transaction, durable when it resolves, and waits
 * without blocking the event loop while another process or thread writes. Methods reject with DomainError `disk_full`
 * or `storage_unavailable`: nothing is changed then.
 */
export interface DiscoveryJobStore {
  /**
   * Adds the job unless the project has a queued or running one; returns the project's open job. Of several concurrent
   * calls one adds its job. `job` MUST be queued.
   */
  add(job: DiscoveryJob): Promise<DiscoveryJob>
  /** Undefined when it does not exist or is another project's. */
  find(projectId: ProjectId, id: JobId): Promise<DiscoveryJob | undefined>
  /** Jobs of the project with an id less than `before`, or all; newest first. */
  list(setId: ClusterSetId, before: JobId | null, limit: number): Promise<readonly DiscoveryJob[]>
  /**
   * Starts a queued job of the lane for `holder`: of those that were taken least often (`epoch`) the one with the least
   * id, which has waited longest. It runs with one more attempt, under a new epoch and a lease until `durationMs` from
   * now. Of several processes at once one gets it. A project's next job comes after all other queued ones, so that no
   * project is skipped. Null when none is queued.
   */
  take(lane: DiscoveryLane, holder: string, durationMs: number): Promise<DiscoveryJob | null>
  /** Moves the end of its lease to `durationMs` from now. False when it no longer runs under this epoch. */
  renew(job: JobEpoch, durationMs: number): Promise<boolean>
  /**
   * Ends a job that `take` started: `job` is succeeded, failed, or queued again, in any lane. The newest
   * CLUSTER_RUNS_KEPT of the project's finished jobs are kept. False, and nothing is changed, when the job no longer
   * runs under this epoch.
   */
  finish(job: DiscoveryJob): Promise<boolean>
  /**
   * Replaces each job of the lane that is marked as running but runs nowhere with the result of `move`, as `finish`
   * does. Those are jobs whose lease has ended, and all of `holder`, which MUST run none of the lane while it calls
   * this: it ended during a job, or could not write its end. A lease that ends more than twice `durationMs` from now
   * counts as ended, because the clock was set back. `move` may be called twice for a job and MUST NOT wait.
   * Resolves with whether a job of the lane may be queued after that.
   */
  takeBack(
    lane: DiscoveryLane,
    holder: string,
    durationMs: number,
    move: (job: DiscoveryJob) => DiscoveryJob,
  ): Promise<boolean>
}
