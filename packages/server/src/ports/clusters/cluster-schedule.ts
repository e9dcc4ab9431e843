import type { ProjectId } from '@spoor/contract/ids'
import type { DiscoveryParameters } from './discovery-job.ts'

/** When discoveries of a project run by themselves. */
export interface ClusterSchedule {
  readonly enabled: boolean
  readonly everyHours: number
  readonly parameters: DiscoveryParameters
  /** Milliseconds since 1970 UTC; null unless enabled. */
  readonly nextRunAt: number | null
}

/** Writes as in DiscoveryJobStore. */
export interface ClusterScheduleStore {
  find(projectId: ProjectId): ClusterSchedule | undefined
  put(projectId: ProjectId, schedule: ClusterSchedule): Promise<void>
  /** Enabled ones whose time has come. */
  due(now: number): readonly { readonly projectId: ProjectId; readonly schedule: ClusterSchedule }[]
}
