import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import type { OnceEvents, DeletedTrace } from '../ports/journal/journal.ts'
import { createIdGenerator, greatestId } from '../lib/ids/ids.ts'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { openClusterStore, openDiscoveryMemory } from '../storage/sql/clusters/open-cluster-store.ts'
import { type Clusters, createClusters } from './clusters.ts'
import { type ClusterSetId, kindOfSet, projectOfSet } from '../ports/clusters/cluster-set.ts'
import type { DiscoveryJob, DiscoveryParameters, DiscoveryPhase } from '../ports/clusters/discovery-job.ts'
import { MemoryClusterTraces } from '../ports/clusters/memory/memory-cluster-traces.test-support.ts'
import type { TextEmbedder } from '@spoor/clustering/embedding/text-embedder'
import type { ClusterNamer } from '@spoor/clustering/naming/cluster-namer'
import { createBuiltinEmbedder } from './worker/builtin-embedder.ts'
import { createEndpointEmbedder } from './worker/endpoint-embedder.ts'
import type { FromWorker, ToWorker } from './worker/messages.ts'
import { serveWorker } from './worker/serve-worker.ts'
import type { StartThread, ThreadListener } from './worker/worker-thread.ts'

export const DAY = { windowHours: 24, kMin: 2, kMax: 12, onlyComplete: false, failureBy: 'status' } as const

const BEGIN_MS = 1_760_000_000_000

/**
 * All of clusters on a real store in a temporary folder, with a controlled clock and a worker without a thread. Close
 * it at the end.
 */
export class ClustersWorld {
  readonly timers = new ManualTimers()
  readonly traces = new MemoryClusterTraces()
  readonly ids = createIdGenerator(this.timers, systemRandomBytes)
  readonly dataDir = mkdtempSync(join(tmpdir(), 'spoor-clusters-'))
  /** Events in the journal, by run. */
  readonly told = new Map<string, OnceEvents>()
  readonly commits: string[] = []
  readonly deleted: DeletedTrace[] = []
  readonly errors: string[] = []
  /** Metrics by name. */
  readonly metrics = new Map<string, { readonly id: MetricId; readonly kind: 'boolean' | 'numeric' }>()
  readonly projectId = this.ids.newId('proj')
  /** Called before each message to the worker: true makes the thread die on it. */
  dies: (message: ToWorker) => boolean = () => false
  /** Called before each message to a worker; it gets the message when this resolves. */
  hold: (message: ToWorker) => Promise<void> | undefined = () => undefined
  /** Called with each answer of the worker, before it is delivered. */
  beforeAnswer: (message: ToWorker) => unknown = () => undefined
  commitFailure: Error | null = null
  /** Called before the patterns of each cluster, which are found when this resolves. */
  holdPatterns: (projectId: ProjectId) => Promise<void> | undefined = () => undefined
  inputPath: string | null = null
  /** How the next process embeds and names; null for the built-in way. */
  endpoint: TextEmbedder | null = null
  namer: ClusterNamer | null = null
  /** Counts processes: pending work of an earlier one is dropped. */
  #generation = 0
  store = this.#open()
  clusters = this.#create()

  constructor() {
    this.timers.advance(BEGIN_MS)
  }

  /** Ends the process and starts another: `killed` without a clean stop. */
  async restart({ killed = false } = {}): Promise<void> {
    if (killed) this.#abandon()
    else await this.clusters.stop()
    this.store.close()
    this.store = this.#open()
    this.clusters = this.#create()
    this.clusters.start()
  }

  async close(): Promise<void> {
    await this.clusters.stop()
    this.store.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  addTraces(
    count: number,
    ask: (index: number) => string,
    failed: (index: number) => boolean = () => false,
    projectId = this.projectId,
  ): TraceId[] {
    return Array.from({ length: count }, (_, index) => {
      this.timers.advance(1)
      return this.traces.add(projectId, this.timers.now(), ask(index), failed(index))
    })
  }

  delete(traceId: TraceId): void {
    this.traces.delete(traceId)
    this.deleted.push({ projectId: this.projectId, traceId })
  }

  /** Runs a discovery to its end, and until its events are in the journal. */
  async discover(parameters: DiscoveryParameters = DAY, setId: ClusterSetId = this.projectId): Promise<DiscoveryJob> {
    const { id } = await this.clusters.useCases.discover(projectOfSet(setId), kindOfSet(setId), parameters)
    const job = await this.ended(id, projectOfSet(setId))
    await this.emitted(id)
    return job
  }

  async ended(id: DiscoveryJob['id'], projectId = this.projectId): Promise<DiscoveryJob> {
    for (;;) {
      const { job } = await this.clusters.useCases.job(projectId, id)
      if (job.finishedAt !== null) return job
      await this.breathe()
    }
  }

  /** Waits for the events of a run, unless the journal fails. */
  async emitted(id: DiscoveryJob['id']): Promise<void> {
    const isPending = async () => (await this.store.clusters.pending(100)).some(({ run }) => run.id === id)
    while (this.commitFailure === null && (await isPending())) await this.breathe()
  }

  /** In the order of ids. */
  async membersOf(cluster: ClusterFilter): Promise<readonly TraceId[]> {
    const place = await this.store.clusters.place(this.projectId, cluster)
    return place === null ? [] : this.store.clusters.members(place, null, 'asc', 1000)
  }

  /** Advances the time and runs everything that was due. */
  async advance(byMs: number): Promise<void> {
    this.timers.advance(byMs)
    for (let turn = 0; turn < 50; turn++) await this.breathe()
  }

  breathe(): Promise<void> {
    return new Promise((go) => setImmediate(go))
  }

  #abandon(): void {
    this.#generation++
  }

  #open() {
    return openClusterStore({ dataDir: this.dataDir, clock: this.timers, pause: () => this.breathe() })
  }

  #create(): Clusters {
    const generation = ++this.#generation
    const isAlive = () => generation === this.#generation
    return createClusters({
      ...this.store,
      holder: 'the process of the world',
      traces: this.traces,
      inputPathOf: async () => this.inputPath,
      briefsOf: async (_projectId, traceIds) => {
        const gone = new Set(this.deleted.map(({ traceId }) => traceId))
        const found = traceIds.filter((id) => !gone.has(id))
        const brief = (id: TraceId) => ({ requests: this.traces.asked(id), failures: `the error of ${id}` })
        return new Map(found.map((id) => [id, { name: `trace ${id.slice(-4)}`, ...brief(id) }]))
      },
      journal: {
        deletedAmong: async (traceIds) => {
          const gone = new Set(this.deleted.map(({ traceId }) => traceId))
          return new Set(traceIds.filter((id) => gone.has(id)))
        },
        pendingPurges: async (limit, after) =>
          this.deleted
            .filter(({ traceId }) => after === undefined || traceId > after)
            .sort((a, b) => (a.traceId < b.traceId ? -1 : 1))
            .slice(0, limit),
      },
      lookUp: async (projectId, filters) => {
        const among = filters.cluster === null ? null : await this.membersOf(filters.cluster)
        if (among?.length === 0) return null
        const { startTime, endTime } = filters
        const none = { words: null, scored: null, withoutMetric: null, rates: null }
        return { projectId, filters, ...none, among, startTime, endTime, throughId: greatestId('tr') }
      },
      findMetric: async (_projectId, name) => this.metrics.get(name),
      commitOnce: async (run) => {
        if (this.commitFailure !== null) throw this.commitFailure
        this.commits.push(run.key)
        if (!this.told.has(run.key)) this.told.set(run.key, run)
      },
      patternEvents: async (projectId, { id }, kind, failureBy) => {
        await this.holdPatterns(projectId)
        if (kind === 'requests') return []
        const data = JSON.stringify({ pattern: kind, failureBy })
        return [{ projectId, key: `pattern ${id}`, events: [{ type: 'cluster.pattern', clusterId: id, data }] }]
      },
      print: (news, kind) => JSON.stringify(kind === 'requests' ? news : { of: kind }),
      startThread: this.#threads(isAlive),
      clock: this.timers,
      timers: {
        now: () => this.timers.now(),
        after: (delayMs, run) => this.timers.after(delayMs, () => isAlive() && run()),
        // In a turn of its own, as in a process, so after all the time by which the clock advances.
        every: (intervalMs, run) => this.timers.every(intervalMs, () => void setImmediate(() => isAlive() && run())),
      },
      newJobId: () => this.ids.newId('job'),
      defaults: { everyHours: 24, parameters: DAY },
      breathe: () => this.breathe(),
      onError: (error, message) => isAlive() && this.errors.push(`${message}: ${String(error)}`),
    })
  }

  /** Answers in later turns, as a thread does, and not at all once its process is gone. */
  #threads(isAlive: () => boolean): StartThread {
    return (listener: ThreadListener) => {
      const memory = openDiscoveryMemory(this.dataDir, this.timers)
      let ended = false
      const tell = (message: FromWorker) => setImmediate(() => !ended && isAlive() && listener.onMessage(message))
      const dependencies = {
        memory,
        embedder:
          this.endpoint === null ? createBuiltinEmbedder(memory) : createEndpointEmbedder(memory, this.endpoint),
        namer: this.namer,
        onUnnamed: (count: number, detail: string) => tell({ kind: 'notice', message: `${count} unnamed`, detail }),
        newClusterId: () => this.ids.newId('clu'),
        now: () => this.timers.now(),
        report: (phase: DiscoveryPhase, share: number) => tell({ kind: 'progress', progress: { phase, share } }),
      }
      const end = () => {
        if (!ended) memory.close()
        ended = true
      }
      return {
        post: (message) =>
          void setImmediate(() => {
            if (ended || !isAlive()) return end()
            if (this.dies(message)) {
              end()
              return listener.onEnd(new Error('out of memory'))
            }
            void Promise.resolve(this.hold(message))
              .then(() => serveWorker(dependencies, structuredClone(message)))
              .then((answer) => {
                this.beforeAnswer(message)
                tell(structuredClone(answer))
              })
          }),
        terminate: async () => end(),
      }
    }
  }
}
