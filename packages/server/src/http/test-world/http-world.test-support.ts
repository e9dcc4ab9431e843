import assert from 'node:assert/strict'
import { createRates } from '../../pricing/pricer.ts'
import { Writable } from 'node:stream'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import { DEFAULT_LIMITS, type Limits } from '@spoor/contract/limits'
import type { FastifyInstance } from 'fastify'
import { createAuditLog } from '../../audit/audit-log.ts'
import { MemoryAudit } from '../../ports/audit/memory-audit.test-support.ts'
import { createClusterService } from '../../clusters/cluster-service.ts'
import { type ClustersWorld, DAY } from '../../clusters/clusters-world.test-support.ts'
import { JournalFeed } from '../../journal/journal-feed.ts'
import { MemoryJournal } from '../../ports/journal/memory-journal.test-support.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers, type Timers } from '../../lib/time/timers.ts'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { newBlobKey } from '../../ports/media/blob-key.ts'
import { createMediaService } from '../../media/media-service.ts'
import { MemoryBlobStore } from '../../ports/media/memory-blob-store.test-support.ts'
import { MemoryMetricEvents, MemoryMetricStore } from '../../ports/metrics/memory-metrics.test-support.ts'
import { createMetricService } from '../../metrics/metric-service.ts'
import { createLogger } from '../../operation/logging.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { Readiness } from '../../operation/readiness.ts'
import { BUILTIN_PRICES } from '../../pricing/price-list.ts'
import { createPriceService } from '../../pricing/price-service.ts'
import { MonitorWorld } from '../../monitors/monitor-world.test-support.ts'
import { NO_LIMITS, type StoredKey } from '../../ports/access/key-store.ts'
import { NEW_PROJECT, type Project } from '../../ports/access/project-store.ts'
import type { Scope } from '@spoor/contract/scopes'
import { memoryClusters } from '../../ports/clusters/memory/memory-clusters.test-support.ts'
import { MemoryMedia } from '../../ports/media/memory-media.test-support.ts'
import { MemoryPriceStore } from '../../ports/prices/memory-prices.test-support.ts'
import { MemoryViewStore } from '../../ports/views/memory-views.test-support.ts'
import { createDashboardService } from '../../views/dashboard-service.ts'
import type { Dashboard } from '../../ports/views/view.ts'
import { createViewService } from '../../views/view-service.ts'
import { WebhookWorld } from '../../webhooks/subscriptions/webhook-world.test-support.ts'
import { KeyRates } from '../access/key-rates.ts'
import { countingRoom, exportRoom } from '../bodies/request-body.ts'
import { buildHttpApp } from '../kernel/app.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { MemoryClusterMembers } from '../../traces/read/memory-cluster-members.test-support.ts'
import { MemoryCredentials } from './memory-credentials.test-support.ts'
import { MemoryFacets } from './memory-facets.test-support.ts'
import { MemorySeries } from './memory-series.test-support.ts'
import { MemorySummaries } from '../../ports/traces/memory-summaries.test-support.ts'
import type { SenderCount } from '../../ports/traces/sender-counts.ts'
import { createDeletions } from '../../traces/retention/delete-matching.ts'
import { MemoryDeletionJobs } from '../../ports/traces/memory-deletion-jobs.test-support.ts'
import { createSenders } from '../../traces/read/list-senders.ts'
import { createSummaries } from '../../traces/read/list-summaries.ts'
import { MemoryTraces } from './memory-traces.test-support.ts'
import type { KeyUseCases, Principal, ProjectUseCases } from '../connections/ports.ts'
import type { DashboardFiles } from '../routes/service/dashboard.ts'

export interface HttpWorldOptions {
  readonly limits?: Partial<Limits>
  readonly budgetBytes?: number
  readonly mostConnections?: number
  readonly timers?: Timers
  readonly readTraceRowGroup?: HttpDependencies['readTraceRowGroup']
  /** Why media of this many bytes are refused. */
  readonly intakeBlock?: (announcedBytes?: number) => DomainError | null
  /** The wall time of media; by default it stands still. */
  readonly now?: () => number
  /** Its project is the own one. By default discoveries stay queued. */
  readonly clusters?: ClustersWorld
  /** By default the dashboard is not built. */
  readonly dashboard?: DashboardFiles
  /** By default there is one node. */
  readonly current?: () => Promise<void>
  /** The same. */
  readonly forwarding?: HttpDependencies['forwarding']
  /** By default every Host is answered. */
  readonly hosts?: readonly string[]
}

/**
 * Everything that the HTTP side needs, in memory. Keys: `own` and `foreign` have every scope but `admin`, `reader` and
 * `writer` have one, `admin` has all.
 */
export function createHttpWorld(options: HttpWorldOptions = {}) {
  const ids = createIdGenerator({ now: () => 1_700_000_000_000 }, systemRandomBytes)
  const ownProject = options.clusters?.projectId ?? ids.newId('proj')
  const foreignProject = ids.newId('proj')
  const everything: readonly Scope[] = ['ingest', 'read', 'media:sign', 'manage']
  const principals = new Map<string, Principal>([
    ['own', principal(ids.newId('key'), ownProject, everything)],
    ['foreign', principal(ids.newId('key'), foreignProject, everything)],
    ['reader', principal(ids.newId('key'), ownProject, ['read'])],
    ['writer', principal(ids.newId('key'), ownProject, ['ingest'])],
    ['admin', principal(ids.newId('key'), ownProject, [...everything, 'admin'])],
  ])
  const journal = new MemoryJournal()
  const feed = new JournalFeed(journal)
  const traces = new MemoryTraces(journal, feed, ids)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const blobs = new MemoryBlobStore()
  const mediaStore = new MemoryMedia({ now: options.now ?? Date.now })
  const mediaErrors: string[] = []
  const mediaService = createMediaService({
    blobs,
    media: mediaStore,
    traces: { locate: async (place) => traces.locate(place) },
    clock: { now: options.now ?? (() => 1_700_000_000_000) },
    newId: () => ids.newId('med'),
    owner: 'embedded',
    newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
    limits,
    signingKey: Buffer.alloc(32, 1),
    intakeBlock: options.intakeBlock ?? (() => (traces.failure instanceof DomainError ? traces.failure : null)),
    onError: (_error, message) => mediaErrors.push(message),
    onRefusedUpload: ({ reason }) => mediaErrors.push(reason),
  })
  const monitoring = new MonitorWorld({
    projectIds: [ownProject, foreignProject],
    limits,
    metricsOf: ownProject,
  })
  const webhooks = new WebhookWorld(limits)
  const budget = new ByteBudget(options.budgetBytes ?? 64 * 1024 * 1024)
  const logLines: string[] = []
  const readiness = new Readiness()
  const sources = {
    version: '0.0.0-test',
    journalHead: async () => journal.headPosition(),
    webhooksBehind: async () => 0,
    pendingDeliveries: async () => 0,
    pendingPurges: async () => 0,
    storeSizeBytes: () => 12_345,
    ingestBufferBytes: () => budget.usedBytes,
    damage: { damagedParts: 0, checksumFailures: 0, lostRows: () => new Map<string, number>() },
    onError: (error: unknown) => assert.fail(String(error)),
  }
  const instruments = createMetrics(sources)
  const series = new MemorySeries()
  const facets = new MemoryFacets()
  const summed = new MemorySummaries()
  const priceOfM = { model: 'm', input: 1000, output: 1000, cacheRead: null, cacheWrite: null, updatedAt: 0 }
  const senderCounts: SenderCount[] = []
  const answers = new ByteGate(64 * 1024 * 1024)
  const work = new WorkTurns(systemWorkTurns)
  const now = options.now ?? (() => 1_700_000_000_000)
  const metricStore = new MemoryMetricStore()
  const metricEvents = new MemoryMetricEvents({
    locate: (place) => traces.locate(place),
    newEventId: () => ids.newId('mev'),
    now,
  })
  const metrics = createMetricService({
    journal,
    metrics: metricStore,
    recorder: metricEvents,
    findOtelTrace: (projectId, otelTraceId) => traces.findOtelTrace(projectId, otelTraceId),
    events: metricEvents,
    clock: { now },
    newMetricId: () => ids.newId('met'),
    limits,
    budget,
    work,
    answers,
    intakeBlock: () => (traces.failure instanceof DomainError ? traces.failure : null),
    pause: () => new Promise(setImmediate),
  })
  const { projects, keys } = memoryProjects([ownProject, foreignProject], ids)
  const access = new MemoryCredentials(principals, now, projects)
  const waitingClusters = () =>
    createClusterService({
      ...memoryClusters({ now }),
      catchUp: async () => undefined,
      runner: { wake: () => undefined, progressOf: () => null },
      journal: { deletedAmong: async () => new Set(), pendingPurges: async () => [] },
      briefsOf: async () => new Map(),
      lookUp: async () => null,
      findMetric: (projectId, name) => metricStore.findByName(projectId, name),
      neighbours: {
        clusterOf: async () => null,
        similar: async (_projectId, _trace, among) => among.map(({ id }) => ({ traceId: id, similarity: 0.5 })),
      },
      clock: { now },
      newJobId: () => ids.newId('job'),
      defaults: { everyHours: 24, parameters: DAY },
      breathe: async () => undefined,
    })
  let requests = 0
  const dependencies: HttpDependencies = {
    traces,
    media: mediaService.useCases,
    prices: createPriceService({
      prices: new MemoryPriceStore(),
      list: BUILTIN_PRICES,
      clock: { now: () => 1_700_000_000_000 },
    }),
    series,
    facets,
    summaries: createSummaries({
      store: summed,
      ratesOf: createRates({ own: async () => new Map([['m', priceOfM]]) }),
      watermark: () => ({ version: 1, lastTraceId: summed.lastTraceId, idLeadMs: 0 }),
      clusters: new MemoryClusterMembers(),
      metricIdOf: async (projectId, name) => (await metricStore.findByName(projectId, name))?.id ?? null,
      fullText: true,
      breathe: async () => undefined,
    }),
    searchSteps: async () => ({ steps: [], nextCursor: null }),
    readTraceRowGroup: options.readTraceRowGroup ?? (() => assert.fail('the test gives no row groups')),
    findPatterns: async () => ({ patterns: [], failed: 0, succeeded: 0, complete: true }),
    compareVersions: async () => ({ versionKey: 'version', versions: [] }),
    stepFacets: async () => ({ values: [], complete: true }),
    senders: createSenders({
      store: {
        senderCounts: async (projectId) => ({ counts: projectId === ownProject ? senderCounts : [], complete: true }),
      },
      pricerOf: async () => (model) => (model === 'unpriced' ? null : 1),
      clock: { now },
    }),
    monitors: monitoring.useCases,
    views: createViewService({ views: new MemoryViewStore(), clock: { now }, newId: () => ids.newId('view'), limits }),
    dashboards: createDashboardService({
      dashboards: new MemoryViewStore<Dashboard>(),
      clock: { now },
      newId: () => ids.newId('dash'),
      scoreOf: async () => 'helpful',
    }),
    webhooks: webhooks.useCases,
    clusters: options.clusters?.clusters.useCases ?? waitingClusters(),
    projects,
    keys,
    audit: createAuditLog({
      audit: new MemoryAudit(),
      clock: { now },
      newId: () => ids.newId('aud'),
      onLost: (_entry, error) => assert.fail(String(error)),
    }),
    deletions: createDeletions({
      jobs: new MemoryDeletionJobs(),
      clock: { now },
      newId: () => ids.newId('job'),
      countTraces: async (_projectId, { userId }) => (userId === 'all of them' || userId === null ? 7 : 3),
      restorable: () => assert.fail('all users have traces'),
    }),
    retention: {
      preview: async (_projectId, { days, flaggedDays, mediaDays }) => ({
        traces: days ?? 0,
        flaggedTraces: flaggedDays ?? 0,
        attachments: mediaDays ?? 0,
      }),
      deleteTraces: async () => ({ failure: null, hasMore: false }),
      removeMedia: async () => ({ failure: null, hasMore: false }),
      isWanted: async () => true,
    },
    sessions: access,
    authenticator: access,
    feed,
    metrics,
    instruments,
    readiness,
    logger: createLogger(
      'info',
      new Writable({ write: (chunk, _encoding, done) => (logLines.push(String(chunk)), done()) }),
    ),
    limits,
    mostConnections: options.mostConnections ?? 1000,
    intakeRefusal: () => traces.intakeRefusal,
    ingestBudget: budget,
    exportRoom: exportRoom(),
    countingRoom: countingRoom(),
    work,
    answers,
    timers: options.timers ?? systemTimers,
    settings: {
      journalRetentionMs: 7 * 86_400_000,
      deliveryRetentionMs: 30 * 86_400_000,
      idempotencyMs: 30 * 86_400_000,
      auditRetentionMs: 86_400_000,
      sessionLifetimeMs: 3_600_000,
      monitorIntervalMs: 15_000,
      traceQuietMs: 30_000,
      fullText: true,
      mediaStore: 'folder',
    },
    dashboard: options.dashboard ?? { directory: 'not built', newNonce: () => 'nonce' },
    keyRates: new KeyRates({
      now: () => (options.timers ?? systemTimers).now(),
      onLimited: instruments.requests.limited,
    }),
    hosts: options.hosts ?? [],
    current: options.current,
    forwarding: options.forwarding,
    newRequestId: () => `request-${++requests}`,
    version: '0.0.0-test',
  }
  const app: FastifyInstance = buildHttpApp(dependencies)
  return {
    app,
    dependencies,
    limits,
    traces,
    series,
    facets,
    summed,
    senderCounts,
    blobs,
    mediaService,
    mediaStore,
    mediaErrors,
    monitoring,
    webhooks,
    journal,
    feed,
    budget,
    work,
    readiness,
    instruments,
    metricStore,
    metricEvents,
    logLines,
    access,
    ids,
    ownProject,
    foreignProject,
  }
}

export type HttpWorld = ReturnType<typeof createHttpWorld>

/** Time in this world stands still until it is advanced. */
export function createStillWorld(options: HttpWorldOptions = {}): HttpWorld & { readonly timers: ManualTimers } {
  const timers = new ManualTimers()
  return { ...createHttpWorld({ ...options, timers }), timers }
}

function principal(keyId: KeyId, projectId: ProjectId, scopes: readonly Scope[]): Principal {
  return { keyId, projectId, scopes: new Set(scopes), keyExpiresAt: null, keyLimits: NO_LIMITS }
}

function memoryProjects(
  projectIds: readonly ProjectId[],
  ids: ReturnType<typeof createIdGenerator>,
): { projects: ProjectUseCases; keys: KeyUseCases } {
  const projects: Project[] = projectIds.map((id) => ({ id, name: 'a project', createdAt: 0, ...NEW_PROJECT }))
  const keys: StoredKey[] = []
  const missing = () => new DomainError('not_found', 'The resource does not exist.')
  return {
    projects: {
      async create({ name }) {
        const project: Project = { id: ids.newId('proj'), name, createdAt: 0, ...NEW_PROJECT }
        projects.push(project)
        return project
      },
      find: async (id) => projects.find((project) => project.id === id),
      async change({ projectId, retention, masking, ...others }) {
        const at = projects.findIndex(({ id }) => id === projectId)
        const found = projects[at]
        if (found === undefined) throw missing()
        const lists = { ...found.masking, ...masking }
        return (projects[at] = { ...found, ...others, retention: { ...found.retention, ...retention }, masking: lists })
      },
      list: async ({ limit }) => ({ items: projects.slice(0, limit), nextCursor: null }),
    },
    keys: {
      async create({ projectId, name, scopes, expiresAt, maker }) {
        if (!projects.some((project) => project.id === projectId)) throw missing()
        if (scopes.includes('admin') && maker?.scopes.has('admin') !== true)
          throw new DomainError('insufficient_scope', 'Only admin gives admin.')
        const secret = `spoor_${'x'.repeat(36)}`
        const key: StoredKey = {
          id: ids.newId('key'),
          projectId,
          name,
          scopes: scopes as Scope[],
          secretHash: Buffer.from(secret),
          lastFour: 'xxxx',
          createdAt: 0,
          expiresAt,
          revokedAt: null,
          limits: NO_LIMITS,
        }
        keys.push(key)
        return { key, secret }
      },
      list: async ({ projectId, limit }) => ({
        items: keys.filter((key) => key.projectId === projectId).slice(0, limit),
        nextCursor: null,
      }),
      async change({ projectId, keyId, limits }) {
        const at = keys.findIndex((key) => key.id === keyId && key.projectId === projectId)
        const key = keys[at]
        if (key === undefined) throw missing()
        return (keys[at] = { ...key, limits: { ...key.limits, ...limits } })
      },
      async revoke({ projectId, keyId }) {
        const at = keys.findIndex((key) => key.id === keyId && key.projectId === projectId)
        if (at < 0) throw missing()
        keys.splice(at, 1)
      },
    },
  }
}
