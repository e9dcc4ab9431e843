import { toTraceFilters } from '@spoor/contract/trace-filters'
import assert from 'node:assert/strict'
import { DEFAULT_LIMITS, type Limits } from '@spoor/contract/limits'
import type { Masking } from '@spoor/contract/schemas/masking'
import type { SpanFilter } from '@spoor/contract/schemas/project'
import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Journal, JournalEvent, JournalRow } from '../ports/journal/journal.ts'
import { ByteBudget } from '../lib/flow/byte-budget.ts'
import { ByteGate } from '../lib/flow/byte-gate.ts'
import type { DomainError } from '../lib/domain-error.ts'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { systemWorkTurns, WorkTurns } from '../lib/flow/work-turns.ts'
import { memoryOnlyJournal } from '../storage/sql/journal/memory-only-journal.test-support.ts'
import { startParseThread } from './parse-thread/start-parse-thread.ts'
import type { LinkableMedia } from './intake/linkable-media.ts'
import type { RecordEvaluations } from './otlp/take-export.ts'
import type { SpanMediaStore } from './otlp/staged-media.ts'
import { MemoryClusterMembers } from './read/memory-cluster-members.test-support.ts'
import { MemoryRows } from '../storage/embedded/memory-rows.test-support.ts'
import { BEGIN_MS, PROJECT } from './trace-builders.test-support.ts'
import type { OwnPrice } from '../ports/prices/price.ts'
import { createRates } from '../pricing/pricer.ts'
import { createTraceService, type TraceService } from './trace-service.ts'
import type { EmbeddedJournal } from '../storage/embedded/embedded-journal.ts'
import type { EmbeddedLog, RowLog } from '../storage/embedded/embedded-log.ts'
import { logOn } from '../storage/embedded/log-world.test-support.ts'
import type { TraceReads } from '../ports/traces/trace-store.ts'
import { SortedWalks } from './read/sorted-walks.ts'
import type { CommitReceipt, FeedQuery, LineVerdict } from './use-cases.ts'

export interface TraceWorldOptions {
  readonly journal?: Journal & EmbeddedJournal
  readonly media?: LinkableMedia | SpanMediaStore
  readonly recordEvaluations?: RecordEvaluations
  readonly store?: TraceReads & RowLog
  readonly limits?: Partial<Limits>
  readonly maxQueueBytes?: number
  readonly fullText?: boolean
}

/** The whole trace service on a real journal and a store in memory, with a clock that stands still. */
export class TraceWorld {
  readonly clock = new ManualTimers()
  /** How far the service's clock is ahead of the true time. */
  skewMs = 0
  readonly journal: Journal & EmbeddedJournal
  readonly memory: MemoryRows
  readonly budget = new ByteBudget(64 * 1024 * 1024)
  readonly published: JournalRow[] = []
  readonly problems: string[] = []
  /** Runs between two attempts at a repair. */
  pause: () => Promise<void> = async () => undefined
  block: DomainError | null = null
  spanFilter: SpanFilter = 'keep'
  masking: Masking | null = null
  spansFiltered = 0
  /** Latest versions of traces whose rows are lost. */
  readonly lostVersions = new Map<TraceId, number>()
  readonly clusters = new MemoryClusterMembers()
  /** By project and name. */
  readonly metricIds = new Map<string, MetricId>()
  readonly log: EmbeddedLog
  readonly service: TraceService
  readonly everything = EVERYTHING
  /** Of all projects. Another map after each change. */
  prices: ReadonlyMap<string, OwnPrice> = new Map()
  readonly #serviceClock = { now: () => this.clock.now() + this.skewMs }
  readonly #ids = createIdGenerator(this.#serviceClock, seededBytes())

  constructor(options: TraceWorldOptions = {}) {
    this.clock.advance(BEGIN_MS)
    this.journal = options.journal ?? memoryOnlyJournal()
    const { lastTraceId } = this.journal.last()
    if (lastTraceId !== null) this.#ids.startAfter(lastTraceId)
    this.memory = new MemoryRows()
    const store = options.store ?? this.memory
    const walks = new SortedWalks(this.#serviceClock.now())
    this.log = logOn({
      rows: store,
      journal: this.journal,
      keepSuperseded: () => walks.underWay(this.#serviceClock.now()),
      block: () => this.block,
      onError: (_error, message) => this.problems.push(message),
      onRepaired: () => this.problems.push('repaired'),
      pause: () => this.pause(),
    })
    this.service = createTraceService({
      log: this.log,
      walks,
      store,
      journal: this.journal,
      clock: this.#serviceClock,
      newTraceId: () => this.#ids.newId('tr'),
      newStepId: () => this.#ids.newId('st'),
      newMetricEventId: () => this.#ids.newId('mev'),
      newAttachmentId: () => this.#ids.newId('med'),
      media: mediaOf(options.media ?? NO_MEDIA),
      spanFilter: async () => this.spanFilter,
      maskingOf: async () => this.masking,
      recordEvaluations: options.recordEvaluations ?? (async () => []),
      clusters: this.clusters,
      contextLimit: () => null,
      ratesOf: createRates({ own: async () => this.prices }),
      metricIdOf: async (projectId, name) => this.metricIds.get(`${projectId} ${name}`) ?? null,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      fullText: options.fullText ?? true,
      maxQueueBytes: options.maxQueueBytes ?? 64 * 1024 * 1024,
      ingestBudget: this.budget,
      work: new WorkTurns(systemWorkTurns),
      answers: new ByteGate(64 * 1024 * 1024),
      lostVersion: (_projectId, traceId) => this.lostVersions.get(traceId) ?? null,
      metrics: { ...NO_METRICS, spansFiltered: (count) => (this.spansFiltered += count) },
      intakeBlock: () => this.block,
      onError: (_error, message) => this.problems.push(message),
      startParseThread,
      timers: systemTimers,
    })
    this.log.subscribe({ committed: ({ rows }) => this.published.push(...rows) })
  }

  commit(body: object, fields: { projectId?: ProjectId; idempotencyKey?: string } = {}): Promise<CommitReceipt> {
    const { projectId = PROJECT, idempotencyKey = null } = fields
    return this.service.useCases.commit({ projectId, idempotencyKey, body: Buffer.from(JSON.stringify(body)) })
  }

  async append(
    traceId: TraceId,
    chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
    projectId = PROJECT,
  ): Promise<LineVerdict[]> {
    const source = Symbol.asyncIterator in chunks ? chunks : fromChunks(chunks)
    const verdicts: LineVerdict[] = []
    for await (const batch of await this.service.useCases.append({ projectId, traceId, chunks: source }))
      verdicts.push(...batch)
    return verdicts
  }

  appendSteps(traceId: TraceId, ...steps: readonly object[]): Promise<LineVerdict[]> {
    return this.append(
      traceId,
      steps.map((step) => Buffer.from(`${JSON.stringify(step)}\n`)),
    )
  }

  list(fields: Partial<FeedQuery> = {}) {
    return this.service.useCases.list({ ...EVERYTHING, ...fields })
  }

  /** Every event of the project, in order. */
  async events(projectId: ProjectId = PROJECT): Promise<JournalEvent[]> {
    return (await this.journal.read(projectId, 0, 1_000_000)).flatMap(({ events }) => events)
  }
}

export async function* fromChunks(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks
}

const EVERYTHING: FeedQuery = {
  projectId: PROJECT,
  ...toTraceFilters('lists', {}),
  metadata: [],
  startTime: null,
  endTime: null,
  text: null,
  sort: 'created_at',
  order: 'desc',
  limit: 50,
  cursor: null,
}

/** Stores media of spans if the given one does. */
function mediaOf(media: LinkableMedia | SpanMediaStore): SpanMediaStore {
  if ('store' in media) return media
  return { ...NO_MEDIA, existing: (projectId, hashes) => media.existing(projectId, hashes) }
}

const NO_MEDIA: SpanMediaStore = {
  existing: async () => new Set(),
  store: async () => assert.fail('this world stores no media'),
  release: async () => undefined,
}

const NO_METRICS = { observeCommit: () => undefined, commitFailed: () => undefined, setQueue: () => undefined }

function seededBytes(): (size: number) => Uint8Array {
  let state = 1
  return (size) => Uint8Array.from({ length: size }, () => (state = (state * 48_271) % 2_147_483_647) & 255)
}
