import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { Journal } from '../ports/journal/journal.ts'
import type { Clock } from '../lib/time/clock.ts'
import type { Timers } from '../lib/time/timers.ts'
import { addScheduledJobs } from './discovery/add-scheduled-jobs.ts'
import { AssignNewTraces } from './assign/assign-new-traces.ts'
import type { ClusterScheduleStore } from '../ports/clusters/cluster-schedule.ts'
import { type ClusterServiceDependencies, createClusterService } from './cluster-service.ts'
import type { ClusterStore } from '../ports/clusters/cluster-store.ts'
import type { ClusterTraces } from '../ports/clusters/cluster-traces.ts'
import type { DiscoveryJobStore } from '../ports/clusters/discovery-job-store.ts'
import { DiscoveryRunner } from './discovery/discovery-runner.ts'
import { ForgetDeleted } from './assign/forget-deleted.ts'
import { runDiscovery } from './discovery/run-discovery.ts'
import { tellRuns, type TellRunsDependencies } from './discovery/tell-runs.ts'
import type { ClusterUseCases } from './use-cases.ts'
import { ClusterWorker, WorkerStopped } from './worker/cluster-worker.ts'
import type { StartThread } from './worker/worker-thread.ts'

export interface ClustersDependencies {
  readonly jobs: DiscoveryJobStore
  /** Names this process among those on one store: see DiscoveryRunner. */
  readonly holder: string
  readonly clusters: ClusterStore
  readonly schedules: ClusterScheduleStore
  readonly traces: ClusterTraces
  readonly namesOf: ClusterServiceDependencies['namesOf']
  readonly journal: Pick<Journal, 'deletedAmong' | 'pendingPurges'>
  /** Told of each project in which something was committed, until it is called off. */
  readonly subscribe: (listener: (projectIds: ReadonlySet<ProjectId>) => void) => () => void
  readonly commitClusterRun: TellRunsDependencies['commitClusterRun']
  readonly print: TellRunsDependencies['print']
  readonly startThread: StartThread
  readonly clock: Clock
  readonly timers: Timers
  readonly newJobId: () => JobId
  readonly defaults: ClusterServiceDependencies['defaults']
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>
  readonly onError: (error: unknown, message: string) => void
}

export interface Clusters {
  readonly useCases: ClusterUseCases
  /** Goes on with what the last process left, and begins its rounds. */
  start(): void
  /** What runs is broken off, and starts again with the next start. Before the committer closes. */
  stop(): Promise<void>
}

/** Schedules, new and deleted traces are looked for this often. */
const ROUND_EVERY_MS = 15_000
/** Jobs that wait, or whose process is gone, are looked for this often: one read, which mostly finds none. */
const JOBS_EVERY_MS = 5000

/** Everything about clusters, put together. */
export function createClusters(dependencies: ClustersDependencies): Clusters {
  const { clusters, traces, clock, timers, onError } = dependencies
  const worker = new ClusterWorker(dependencies)
  const forget = new ForgetDeleted(dependencies)
  const assign = new AssignNewTraces({ traces, clusters, worker })
  const runner = new DiscoveryRunner({
    ...dependencies,
    async run(job, startedAt, onProgress) {
      const result = await runDiscovery({ ...dependencies, worker, forget, onProgress }, job, startedAt)
      if (result === null) return null
      await attempt('a discovery could not be told yet', () => tellRuns(dependencies))
      await attempt('clusters could not be tidied', async () => {
        while (await worker.ask('tidy', { projectId: job.projectId }));
      })
      return result
    },
  })

  /** What fails is tried again by the next round. */
  async function attempt(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof WorkerStopped)) onError(error, message)
    }
  }

  async function round(): Promise<void> {
    await attempt('a discovery could not be told yet', () => tellRuns(dependencies))
    await attempt('scheduled discoveries could not be added', () => addScheduledJobs(dependencies))
    runner.wake()
    await attempt('deleted traces could not be taken out of clusters', () => forget.round())
    await attempt('new traces could not be put into clusters', () => assign.round(clock.now()))
  }

  const rounds = new Rounds(round)
  const endings: (() => void)[] = []
  return {
    useCases: createClusterService({ ...dependencies, runner }),
    start() {
      runner.wake()
      endings.push(dependencies.subscribe((projectIds) => assign.expect(projectIds)))
      endings.push(timers.every(JOBS_EVERY_MS, () => runner.wake()))
      endings.push(timers.every(ROUND_EVERY_MS, () => rounds.begin()))
      rounds.begin()
    },
    async stop() {
      for (const end of endings) end()
      const stopped = runner.stop()
      await worker.stop()
      await stopped
      await rounds.ended()
    },
  }
}

/** One at a time: what comes while one is under way is left out. */
class Rounds {
  readonly #round: () => Promise<void>
  #running: Promise<void> | null = null

  constructor(round: () => Promise<void>) {
    this.#round = round
  }

  begin(): void {
    this.#running ??= this.#round().finally(() => (this.#running = null))
  }

  async ended(): Promise<void> {
    await this.#running
  }
}
