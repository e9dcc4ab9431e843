import { CLUSTER_RUNS_KEPT } from '@spoor/contract/limits'
import type { JobId, ProjectId } from '@spoor/contract/ids'
import { type ClusterSetId, projectOfSet } from '../cluster-set.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { ClusterSchedule, ClusterScheduleStore, DueSchedule, ScheduleClaim } from '../cluster-schedule.ts'
import type { DiscoveryJob, DiscoveryLane, JobEpoch } from '../discovery-job.ts'
import type { DiscoveryJobStore } from '../discovery-job-store.ts'
import { isOpen } from '../job-machine.ts'

interface Held {
  readonly holder: string
  readonly until: number
}

/** For tests: jobs in a map. */
export class MemoryDiscoveryJobs implements DiscoveryJobStore {
  readonly #clock: Clock
  readonly #jobs = new Map<JobId, DiscoveryJob>()
  readonly #held = new Map<JobId, Held>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a write with this epoch is accepted. */
  isHeld({ id, epoch }: JobEpoch): boolean {
    const job = this.#jobs.get(id)
    return job?.status === 'running' && job.epoch === epoch
  }

  isRunning(setId: ClusterSetId): boolean {
    return [...this.#jobs.values()].some((job) => job.setId === setId && job.status === 'running')
  }

  async add(job: DiscoveryJob): Promise<DiscoveryJob> {
    const open = this.#newestFirst(job.setId).find(({ status }) => isOpen(status))
    if (open === undefined) this.#jobs.set(job.id, job)
    return open ?? job
  }

  async find(projectId: ProjectId, id: JobId): Promise<DiscoveryJob | undefined> {
    const job = this.#jobs.get(id)
    return job !== undefined && projectOfSet(job.setId) === projectId ? job : undefined
  }

  drop(setId: ClusterSetId): void {
    for (const job of this.#newestFirst(setId)) this.#jobs.delete(job.id)
  }

  async list(setId: ClusterSetId, before: JobId | null, limit: number): Promise<readonly DiscoveryJob[]> {
    const behind = this.#newestFirst(setId).filter(({ id }) => before === null || id < before)
    return behind.slice(0, limit)
  }

  async take(lane: DiscoveryLane, holder: string, durationMs: number): Promise<DiscoveryJob | null> {
    const waiting = [...this.#jobs.values()].filter((job) => job.status === 'queued' && job.lane === lane)
    const oldest = waiting.sort((a, b) => a.epoch - b.epoch || (a.id < b.id ? -1 : 1))[0]
    if (oldest === undefined) return null
    const { attempts, epoch } = oldest
    const startedAt = this.#clock.now()
    const running: DiscoveryJob = { ...oldest, status: 'running', attempts: attempts + 1, epoch: epoch + 1, startedAt }
    this.#jobs.set(running.id, running)
    this.#held.set(running.id, { holder, until: startedAt + durationMs })
    return running
  }

  async renew(job: JobEpoch, durationMs: number): Promise<boolean> {
    const held = this.#held.get(job.id)
    if (held === undefined || !this.isHeld(job)) return false
    this.#held.set(job.id, { ...held, until: this.#clock.now() + durationMs })
    return true
  }

  async finish(job: DiscoveryJob): Promise<boolean> {
    if (!this.isHeld(job)) return false
    this.#jobs.set(job.id, job)
    this.#held.delete(job.id)
    const finished = this.#newestFirst(job.setId).filter(({ status }) => !isOpen(status))
    for (const { id } of finished.slice(CLUSTER_RUNS_KEPT)) this.#jobs.delete(id)
    return true
  }

  async takeBack(
    lane: DiscoveryLane,
    holder: string,
    durationMs: number,
    move: (job: DiscoveryJob) => DiscoveryJob,
  ): Promise<boolean> {
    for (const [id, held] of this.#held) {
      if (this.#jobs.get(id)!.lane !== lane) continue
      const leftMs = held.until - this.#clock.now()
      if (held.holder !== holder && leftMs > 0 && leftMs <= 2 * durationMs) continue
      await this.finish(move(this.#jobs.get(id)!))
    }
    return [...this.#jobs.values()].some((job) => job.status === 'queued' && job.lane === lane)
  }

  #newestFirst(setId: ClusterSetId): DiscoveryJob[] {
    const own = [...this.#jobs.values()].filter((job) => job.setId === setId)
    return own.sort((a, b) => (a.id < b.id ? 1 : -1))
  }
}

/** For tests: schedules in a map. */
export class MemoryClusterSchedules implements ClusterScheduleStore {
  readonly #jobs: DiscoveryJobStore
  readonly #schedules = new Map<ClusterSetId, ClusterSchedule>()

  constructor(jobs: DiscoveryJobStore) {
    this.#jobs = jobs
  }

  async find(setId: ClusterSetId): Promise<ClusterSchedule | undefined> {
    return this.#schedules.get(setId)
  }

  async put(setId: ClusterSetId, schedule: ClusterSchedule): Promise<void> {
    this.#schedules.set(setId, schedule)
  }

  async due(now: number): Promise<readonly DueSchedule[]> {
    return [...this.#schedules]
      .map(([setId, schedule]) => ({ setId, schedule }))
      .filter(({ schedule: { enabled, nextRunAt } }) => enabled && nextRunAt !== null && nextRunAt <= now)
  }

  async claim({ job, dueAt, nextRunAt }: ScheduleClaim): Promise<boolean> {
    const schedule = this.#schedules.get(job.setId)
    if (schedule?.nextRunAt !== dueAt) return false
    this.#schedules.set(job.setId, { ...schedule, nextRunAt })
    await this.#jobs.add(job)
    return true
  }
}
