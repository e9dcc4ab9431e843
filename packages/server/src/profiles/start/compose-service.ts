import { DEFAULT_FAILURE_BY } from '@spoor/contract/failure-measure'
import type { ProjectId } from '@spoor/contract/ids'
import { fileURLToPath } from 'node:url'
import { FACET_TRACES } from '@spoor/contract/schemas/traces/trace-facets'
import type { Config } from '../../config.ts'
import type { SeriesUseCases } from '../../http/connections/ports.ts'
import type { ShownSettings } from '../../http/routes/service/settings.ts'
import { currentMembers } from '../../clusters/current-members.ts'
import type { ClusterUseCases } from '../../clusters/use-cases.ts'
import { countingRoom, exportRoom } from '../../http/bodies/request-body.ts'
import { KeyRates } from '../../http/access/key-rates.ts'
import type { HttpDependencies } from '../../http/kernel/dependencies.ts'
import { JournalFeed } from '../../journal/journal-feed.ts'
import { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { Sampled } from '../../operation/sampled.ts'
import { SignInToken } from '../../projects/sign-in-token.ts'
import { ClickHouseTraceFacets } from '../../storage/clickhouse/feed/clickhouse-trace-facets.ts'
import { createDashboardService } from '../../views/dashboard-service.ts'
import { createRetention } from '../../traces/retention/apply-retention.ts'
import { restorableTraces } from '../../traces/retention/delete-user.ts'
import { type CountTraces, createDeletions } from '../../traces/retention/delete-matching.ts'
import { RegressionReports } from '../../traces/insight/versions/report-regressions.ts'
import { createViewService } from '../../views/view-service.ts'
import { printRegression } from '../../wire/versions-to-wire.ts'
import { auditLogOf, authenticatorOf, keyUseCases, projectUseCases, sessionUseCases } from './access.ts'
import type { Environment } from './environment.ts'
import type { ServiceStores } from './service-stores.ts'
import { startClusters } from './start-clusters.ts'
import { startMedia } from './start-media.ts'
import { startMetrics } from './start-metrics.ts'
import { startTraces } from './start-traces.ts'
import { startVersions } from './start-versions.ts'
import { type StartedWebhooks, startWebhooks } from './start-webhooks.ts'

/** A part that others are handed before it can be made: each needs the other, but not yet while they are made. */
class Later<T> {
  #made: { readonly part: T } | null = null

  /** Throws if the part is not made yet. */
  get part(): T {
    if (this.#made === null) throw new Error('a part of the service was used before it was made')
    return this.#made.part
  }

  make(part: T): T {
    this.#made = { part }
    return part
  }
}

/** What `npm start` builds. */
const DASHBOARD = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url))
/** Counting further would cost a reader of the metrics more than the number is worth. */
const MOST_PURGES_COUNTED = 1_000_000
/** Memory that all answers may hold while slow readers take them. */
const ANSWERS_BYTES = 64 * 1024 * 1024

export type ComposedService = Awaited<ReturnType<typeof composeService>>

/** The use cases on open stores. Nothing runs in the background yet. */
export async function composeService(stores: ServiceStores, environment: Environment) {
  const { control, clusterStore, ids } = stores
  const { clock, config, logger, version } = environment
  const later = {
    webhooks: new Later<StartedWebhooks>(),
    clusters: new Later<ReturnType<typeof startClusters>>(),
    metrics: new Later<ReturnType<typeof startMetrics>>(),
    media: new Later<Awaited<ReturnType<typeof startMedia>>>(),
  }
  const feed = await JournalFeed.open(control.journal)
  const rooms = roomsOf(config)
  const storeSize = new Sampled(
    () => stores.sizeBytes(),
    (error) => logger.error({ error }, 'the size of the store could not be read'),
  )
  const { journal } = control
  const instruments = createMetrics({
    version,
    journalHead: () => journal.headPosition(),
    webhooksBehind: () => later.webhooks.part.behind(),
    pendingDeliveries: () => stores.deliveries.queue.pendingCount(),
    pendingPurges: () => journal.pendingPurgeCount(MOST_PURGES_COUNTED),
    storeSizeBytes: () => storeSize.value,
    ingestBufferBytes: () => rooms.ingestBudget.usedBytes,
    damage: stores.damage,
    figures: stores.figures,
    onError: (error) => logger.error({ error }, 'the metrics are not complete'),
  })
  const shared = { ...stores, ...rooms, feed, instruments }
  const members = currentMembers(clusterStore.clusters, (setId) => later.clusters.part.catchUp(setId))
  const traces = startTraces(environment, {
    ...shared,
    members,
    recordEvaluations: (...evaluations) => later.metrics.part.metrics.recordEvaluations(...evaluations),
    spanMedia: {
      store: (projectId, bytes) => later.media.part.store(projectId, bytes),
      release: (stored) => later.media.part.release(stored),
    },
  })
  const reading = { ...shared, traces, watermark: traces.watermark }
  const clustersOf = async (projectId: ProjectId) => (await later.clusters.part.useCases.list(projectId)).clusters
  const discoveryOf: ClusterUseCases['discoveryOf'] = (...asked) => later.clusters.part.useCases.discoveryOf(...asked)
  const measuring = later.metrics.make(
    startMetrics(environment, { ...reading, clusters: members, clustersOf, discoveryOf }),
  )
  // Commits since the feed was opened are published now.
  await stores.nodes?.current()
  const media = later.media.make(await startMedia(environment, { ...shared, traces: { locate: traces.locate } }))
  const { metricEvents, prices } = measuring
  const webhooks = later.webhooks.make(
    await startWebhooks(environment, { ...shared, metricEvents, pricerOf: prices.pricer }),
  )
  const clusters = later.clusters.make(
    startClusters(environment, { ...reading, findPatterns: measuring.findPatterns, lookUp: measuring.lookUp }),
  )
  const scoreOf = async (projectId: ProjectId) => {
    const { items } = await metrics.list({ projectId, cursor: null, limit: 100 })
    return items.find(({ kind }) => kind !== 'enum')?.name ?? null
  }
  const oneTimeSignIn = new SignInToken({ clock, randomBytes: systemRandomBytes })
  const { metrics, series, findPatterns, compareVersions, monitorWork } = measuring
  const deleting = {
    jobs: control.deletionJobs,
    clock,
    newId: () => ids.newId('job'),
    countTraces: countBySeries(series),
  }
  const audit = auditLogOf(control, environment, ids)
  const retention = createRetention({ ...deleting, ...control, record: audit.record })
  const ofHttp: HttpDependencies = {
    ...rooms,
    ...measuring,
    feed,
    instruments,
    logger,
    version,
    readiness: stores.readiness,
    newRequestId: stores.newRequestId,
    traces: traces.useCases,
    media: media.useCases,
    views: createViewService({ ...control, clock, newId: () => ids.newId('view'), limits: config.limits }),
    dashboards: createDashboardService({ ...control, clock, newId: () => ids.newId('dash'), scoreOf }),
    webhooks: webhooks.useCases,
    clusters: clusters.useCases,
    facets: new ClickHouseTraceFacets(stores.engine, FACET_TRACES),
    projects: projectUseCases(control, environment, ids),
    keys: keyUseCases(control, environment, ids),
    deletions: createDeletions({
      ...deleting,
      restorable: (...asked) => restorableTraces({ traces, journal: control.journal }, ...asked),
    }),
    retention,
    audit,
    sessions: sessionUseCases(control, environment, oneTimeSignIn),
    authenticator: authenticatorOf(control, environment),
    settings: shownSettings(config),
    dashboard: { directory: DASHBOARD, newNonce: () => Buffer.from(systemRandomBytes(16)).toString('base64') },
    current: stores.nodes?.current,
    hold: stores.nodes?.hold,
    forwarding: stores.nodes?.forwarding,
    limits: config.limits,
    mostConnections: config.maxConnections,
    intakeRefusal: traces.refusal,
    timers: systemTimers,
    keyRates: new KeyRates({ now: () => systemTimers.now(), onLimited: instruments.requests.limited }),
    hosts: config.hosts,
  }
  const reports = new RegressionReports({
    compareVersions,
    findPatterns,
    failureByOf: async (projectId) => (await discoveryOf(projectId))?.failureBy ?? DEFAULT_FAILURE_BY,
    commitOnce: traces.commitOnce,
    print: printRegression,
  })
  const versionWork = { name: 'versions', start: () => startVersions(environment, { control, feed, reports }) }
  return {
    shared,
    traces,
    media,
    webhooks,
    clusters,
    retention,
    countTraces: deleting.countTraces,
    userDeletions: { metricEvents, audit },
    monitorWork,
    versionWork,
    storeSize,
    oneTimeSignIn,
    ofHttp,
  }
}

/** All traces in one bucket. */
function countBySeries(series: SeriesUseCases): CountTraces {
  return async (projectId, { startTime, endTime, ...filters }) => {
    const { points } = await series.explore({
      ...filters,
      projectId,
      rows: 'traces',
      measure: 'count',
      stat: null,
      groupBy: [],
      order: null,
      limit: null,
      comparesPrevious: false,
      times: { startTime: startTime ?? 0, endTime, bucket: 'all', zone: null },
    })
    return points.reduce((sum, { now }) => sum + now.count, 0)
  }
}

/** Memory and turns that all requests share. */
function roomsOf({ ingestBufferBytes }: Environment['config']) {
  return {
    ingestBudget: new ByteBudget(ingestBufferBytes),
    answers: new ByteGate(ANSWERS_BYTES),
    work: new WorkTurns(systemWorkTurns),
    exportRoom: exportRoom(),
    countingRoom: countingRoom(),
  }
}

/** The part of the configuration that every user may see. */
function shownSettings(config: Config): ShownSettings {
  const { journalRetentionMs, deliveryRetentionMs, idempotencyMs, auditRetentionMs, sessionLifetimeMs } = config
  const { monitorIntervalMs, traceQuietMs, fullText, s3 } = config
  const mediaStore = s3 === null ? 'folder' : 'bucket'
  return {
    journalRetentionMs,
    deliveryRetentionMs,
    idempotencyMs,
    auditRetentionMs,
    sessionLifetimeMs,
    monitorIntervalMs,
    traceQuietMs,
    fullText,
    mediaStore,
  }
}
