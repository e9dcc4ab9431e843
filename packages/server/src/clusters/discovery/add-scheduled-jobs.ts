import type { JobId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { newJob } from '../cluster-service.ts'
import type { ClusterScheduleStore } from '../../ports/clusters/cluster-schedule.ts'
import type { DiscoveryJobStore } from '../../ports/clusters/discovery-job-store.ts'

export interface ScheduledDiscoveriesDependencies {
  readonly schedules: ClusterScheduleStore
  readonly jobs: Pick<DiscoveryJobStore, 'add'>
  readonly clock: Clock
  readonly newJobId: () => JobId
}

const HOUR_MS = 3600 * 1000

/** Adds a job for each schedule whose time has come. Times that passed while nobody looked are made up for once; the next counts from now. */
export async function addScheduledJobs(dependencies: ScheduledDiscoveriesDependencies): Promise<void> {
  const { schedules, jobs, clock } = dependencies
  for (const { projectId, schedule } of schedules.due(clock.now())) {
    await jobs.add(newJob(dependencies, projectId, schedule.parameters))
    await schedules.put(projectId, { ...schedule, nextRunAt: clock.now() + schedule.everyHours * HOUR_MS })
  }
}
