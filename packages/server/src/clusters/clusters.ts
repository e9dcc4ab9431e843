import type { ProjectId } from '@spoor/contract/ids'
import { SharedCalls } from '../lib/flow/shared-calls.ts'
import type { Timers } from '../lib/time/timers.ts'
import { addScheduledJobs } from './discovery/add-scheduled-jobs.ts'
import type { DiscoveryLane } from '../ports/clusters/discovery-job.ts'
import { AssignNewTraces } from './assign/assign-new-traces.ts'
import { type ClusterServiceDependencies, createClusterService } from './cluster-service.ts'
import { type ClusterSetId, kindOfSet, projectOfSet } from '../ports/clusters/cluster-set.ts'
import type { ClusterTraces } from '../ports/clusters/cluster-traces.ts'
import { DiscoveryRunner } from './discovery/discovery-runner.ts'
import { createNeighbours } from './assign/neighbours.ts'
import { RemoveDeleted } from './assign/remove-deleted.ts'
import type { InputPathOf } from './assign/store-missing-features.ts'
import { runDiscovery } from './discovery/run-discovery.ts'
import { emitRunEvents, type EmitRunEventsDependencies } from './discovery/emit-run-events.ts'
import type { ClusterUseCases } from './use-cases.ts'
import { ClusterWorker, WorkerStopped } from './worker/cluster-worker.ts'
import type { StartThread } from './worker/worker-thread.ts'

export interface ClustersDependencies
  extends
    Omit<ClusterServiceDependencies, 'runner' | 'catchUp' | 'neighbours'>,
    Pick<EmitRunEventsDependencies, 'commitOnce' | 'patternEvents' | 'print'> {
  /** Identifies this process among those on one store, see DiscoveryRunner. */
  readonly holder: string
  readonly traces: ClusterTraces
  /** See ProjectSettings. */
  readonly inputPathOf: (projectId: ProjectId) => Promise<string | null>
  readonly startThread: StartThread
  readonly timers: Timers
  readonly onError: (error: unknown, message: string) => void
}

export interface Clusters {
  readonly useCases: ClusterUseCases
  /** Call it before a read of members: see AssignNewTraces. */
  catchUp(setId: ClusterSetId): Promise<void>
  /** For a single process: continues what the last one left, and starts the rounds. */
  start(): void
  /** For each node of several: runs jobs. A job is held by a lease of its own. */
  startJobs(): void
  /**
   * For one node of several, while it holds the lease on them: starts the rounds for schedules and deleted traces.
   * Two nodes at once do the same work twice, with the same result.
   */
  startRounds(): { stop(): Promise<void> }
  /** Interrupts running jobs, which start again with the next start. Call it before the committer closes. */
  stop(): Promise<void>
}

/** Interval of the rounds for schedules and deleted traces. */
const ROUND_EVERY_MS = 15_000
/** Interval of the check for jobs that are queued or whose process is gone: one read, which mostly finds none. */
const JOBS_EVERY_MS = 5000

export function createClusters(given: ClustersDependencies): Clusters {
  const inputPathOf: InputPathOf = async (setId) =>
    kindOfSet(setId) === 'failures' ? null : given.inputPathOf(projectOfSet(setId))
  const dependencies = { ...given, inputPathOf }
  const { timers, onError } = dependencies
  const workers = { short: new ClusterWorker(dependencies), long: new ClusterWorker(dependencies) }
  const forget = new RemoveDeleted(dependencies)
  const assign = new AssignNewTraces({
    ...dependencies,
    worker: workers.short,
    forget,
    attempt: (work) => attempt('new traces could not be put into clusters', work),
  })
  // One at a time: once a run is marked, nothing emits what was read before. Patterns may take minutes: no job and no
  // round waits for them.
  const emit = new SharedCalls(() =>
    attempt('the events of a discovery could not be written yet', () => emitRunEvents(dependencies)),
  )
  const runners = { short: runnerOf('short'), long: runnerOf('long') }

  function runnerOf(lane: DiscoveryLane): DiscoveryRunner {
    const worker = workers[lane]
    return new DiscoveryRunner({
      ...dependencies,
      lane,
      async run(job, startedAt, onProgress) {
        const result = await runDiscovery({ ...dependencies, worker, forget, onProgress }, job, startedAt)
        if (result === null || result === 'too_long') return result
        void emit.next()
        await attempt('clusters could not be tidied', async () => {
          while (await worker.ask('tidy', { setId: job.setId }));
        })
        return result
      },
      onMoved: () => runners.long.wake(),
    })
  }

  function wake(): void {
    runners.short.wake()
    runners.long.wake()
  }

  /** A failure is retried by the next round. */
  async function attempt(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof WorkerStopped)) onError(error, message)
    }
  }

  async function round(): Promise<void> {
    void emit.next()
    await attempt('scheduled discoveries could not be added', () => addScheduledJobs(dependencies))
    wake()
    await attempt('deleted traces could not be taken out of clusters', () => forget.round())
  }

  const rounds = new Rounds(round)
  const endings: (() => void)[] = []

  function startJobs(): void {
    wake()
    endings.push(timers.every(JOBS_EVERY_MS, wake))
  }

  function startRounds() {
    const cancel = timers.every(ROUND_EVERY_MS, () => rounds.begin())
    endings.push(cancel)
    rounds.begin()
    return {
      async stop() {
        cancel()
        await rounds.ended()
      },
    }
  }

  const catchUp = (setId: ClusterSetId) => assign.catchUp(setId)

  return {
    catchUp,
    useCases: createClusterService({
      ...dependencies,
      neighbours: createNeighbours({ ...dependencies, worker: workers.short, catchUp }),
      catchUp,
      runner: { wake, progressOf: (id) => runners.short.progressOf(id) ?? runners.long.progressOf(id) },
    }),
    startJobs,
    startRounds,
    start() {
      startJobs()
      startRounds()
    },
    async stop() {
      for (const end of endings) end()
      const stopped = Promise.all([runners.short.stop(), runners.long.stop()])
      await Promise.all([workers.short.stop(), workers.long.stop(), assign.stop()])
      await stopped
      await rounds.ended()
      await emit.idle()
    },
  }
}

/** Runs one call at a time: calls during another are dropped. */
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
