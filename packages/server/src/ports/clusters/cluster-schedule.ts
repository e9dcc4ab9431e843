import type { ClusterSetId } from './cluster-set.ts'
import type { DiscoveryJob, DiscoveryParameters } from './discovery-job.ts'

/** When scheduled discoveries of a project run. */
export interface ClusterSchedule {
  readonly enabled: boolean
  readonly everyHours: number
  readonly parameters: DiscoveryParameters
  /** Milliseconds since 1970 UTC; null unless enabled. */
  readonly nextRunAt: number | null
}

export interface DueSchedule {
  readonly setId: ClusterSetId
  /** Enabled, so its `nextRunAt` is a time. */
  readonly schedule: ClusterSchedule
}

/** A due time that one process claims, with the job that it adds. */
export interface ScheduleClaim {
  readonly job: DiscoveryJob
  /** `nextRunAt` as `due` returned it. */
  readonly dueAt: number
  /** When the schedule runs again. */
  readonly nextRunAt: number
}

/** One schedule for each project. Reads, durability and errors as in DiscoveryJobStore. */
export interface ClusterScheduleStore {
  /** Undefined when the project has never had one. */
  find(setId: ClusterSetId): Promise<ClusterSchedule | undefined>
  /** Adds or replaces the schedule of the project. */
  put(setId: ClusterSetId, schedule: ClusterSchedule): Promise<void>
  /** Enabled ones with a `nextRunAt` up to `now`, both inclusive, in no order. */
  due(now: number): Promise<readonly DueSchedule[]>
  /**
   * Moves the schedule of the job's project from `dueAt` to `nextRunAt` and adds the job as DiscoveryJobStore.add does,
   * in one transaction: of several processes that found it due, one adds a job. Returns false, and changes nothing,
   * when the schedule is no longer due at `dueAt`: another process claimed it, or it was changed or disabled since.
   */
  claim(claim: ScheduleClaim): Promise<boolean>
}
