import { type ClusterServiceDependencies, newJob } from '../cluster-service.ts'

export type ScheduledDiscoveriesDependencies = Pick<ClusterServiceDependencies, 'schedules' | 'clock' | 'newJobId'>

const HOUR_MS = 3600 * 1000

/**
 * Adds a job for each due schedule, unless another process did. Any number of missed times add one job; the next time
 * counts from now.
 */
export async function addScheduledJobs(dependencies: ScheduledDiscoveriesDependencies): Promise<void> {
  const { schedules, clock } = dependencies
  for (const { setId, schedule } of await schedules.due(clock.now())) {
    const job = newJob(dependencies, setId, schedule.parameters)
    await schedules.claim({ job, dueAt: schedule.nextRunAt!, nextRunAt: clock.now() + schedule.everyHours * HOUR_MS })
  }
}
