import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { FACET_TRACES } from '@spoor/contract/schemas/traces/trace-facets'
import type { Config } from '../../config.ts'
import { countingRoom, exportRoom } from '../../http/bodies/request-body.ts'
import { buildHttpApp } from '../../http/kernel/app.ts'
import type { HttpDependencies } from '../../http/kernel/dependencies.ts'
import { JournalFeed } from '../../journal/journal-feed.ts'
import { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { createIdGenerator, type IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { Sampled } from '../../operation/sampled.ts'
import { bootstrap, type BootstrapResult } from '../../projects/bootstrap.ts'
import { SignInToken } from '../../projects/sign-in-token.ts'
import { ClickHouseTraceFacets } from '../../storage/clickhouse/feed/clickhouse-trace-facets.ts'
import { createViewService } from '../../views/view-service.ts'
import { authenticatorOf, keyUseCases, projectUseCases, sessionUseCases } from './access.ts'
import type { Environment } from './environment.ts'
import type { Parts } from './parts.ts'
import type { Rounds } from './rounds.ts'
import type { ServiceStores } from './service-stores.ts'
import { shownSettings } from './shown-settings.ts'
import { startClusters } from './start-clusters.ts'
import { currentMembers } from '../../clusters/current-members.ts'
import { startCompletion } from './start-completion.ts'
import { startNodeRounds } from './start-node-rounds.ts'
import { startSingle } from './start-single.ts'
import { startHousekeeping } from './start-housekeeping.ts'
import { startMedia } from './start-media.ts'
import { startMetrics } from './start-metrics.ts'
import { startTraces } from './start-traces.ts'
import { startWebhooks } from './start-webhooks.ts'

export interface RunningService {
  /** Where it answers, `http://host:port`. */
  readonly url: string
  readonly projectId: ProjectId
  /** Whether this start made the first project. */
  readonly firstStart: boolean
  /** The first key of a new store, to be shown once; null later. */
  readonly firstKey: string | null
  /** Signs in once with that key, within an hour; null if there is none. */
  readonly signInToken: string | null
  readonly bootstrapKey: BootstrapResult['bootstrapKey']
  /** When the data was moved to a cluster; not given if it was not. */
  readonly movedAt?: string
  /** Stops intake, commits what waits, closes everything. Resolves within the configured time; may be called again. */
  stop(): Promise<void>
}

/** Additions of a profile to the start of the service. */
export interface ServiceHooks {
  /** Parts that start before the size of the store is sampled. */
  startOwnParts?(): Promise<void>
  /** Makes the first project and its key, when several processes may start at once. */
  bootstrapAlone?(make: () => Promise<BootstrapResult>): Promise<BootstrapResult>
  /** Called after the first project exists and before the service answers. */
  beforeAnswers?(): Promise<void>
}

/** What `npm start` builds. */
const DASHBOARD = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url))
/** Counting further would cost a reader of the metrics more than the number is worth. */
const MOST_PURGES_COUNTED = 1_000_000
const STORE_SIZE_EVERY_MS = 15_000
/** Memory that all answers may hold while slow readers take them. */
const ANSWERS_BYTES = 64 * 1024 * 1024
/** Share of the stop time in which requests in flight may end by themselves. */
const GRACE_SHARE = 0.7

/** Composes the use cases on open stores, and starts the background work, the server last. */
export async function startServiceOn(
  stores: ServiceStores,
  environment: Environment,
  parts: Parts,
  hooks: ServiceHooks = {},
): Promise<RunningService> {
  const { control, deliveries, clusterStore, engine, damage, readiness, held, newRequestId, ids } = stores
  const { config, clock, logger, version } = environment
  const { journal } = control

  const oneTimeSignIn = new SignInToken({ clock, randomBytes: systemRandomBytes })
  const ingestBudget = new ByteBudget(config.ingestBufferBytes)
  const answers = new ByteGate(ANSWERS_BYTES)
  const work = new WorkTurns(systemWorkTurns)
  const feed = await JournalFeed.open(journal)
  const storeSize = new Sampled(
    () => stores.sizeBytes(),
    (error) => logger.error({ error }, 'the size of the store could not be read'),
  )
  const instruments = createMetrics({
    version,
    journalHead: () => journal.headPosition(),
    webhooksBehind: () => webhooks.behind(),
    pendingDeliveries: () => deliveries.queue.pendingCount(),
    pendingPurges: () => journal.pendingPurgeCount(MOST_PURGES_COUNTED),
    storeSizeBytes: () => storeSize.value,
    ingestBufferBytes: () => ingestBudget.usedBytes,
    damage,
    onError: (error) => logger.error({ error }, 'the metrics are not complete'),
  })
  const shared = { ...stores, feed, ingestBudget, answers, work, instruments }
  // Clusters need the traces, and are there before the first request.
  const members = currentMembers(clusterStore.clusters, (projectId) => clusters.catchUp(projectId))
  const traces = startTraces(environment, {
    ...shared,
    members,
    // Metrics and media need the traces, and are there before the first request.
    recordEvaluations: (projectId, evaluations) => metrics.recordEvaluations(projectId, evaluations),
    spanMedia: {
      store: (projectId, bytes) => media.store(projectId, bytes),
      release: (stored) => media.release(stored),
    },
  })
  const reading = { ...shared, traces, watermark: traces.watermark }
  const { metrics, metricEvents, prices, series, summaries, senders, monitors, monitorWork } = startMetrics(
    environment,
    {
      ...reading,
      clusters: members,
    },
  )
  // Commits since the feed was opened are published now.
  await stores.nodes?.current()
  const media = await startMedia(environment, { ...shared, traces: { locate: traces.locate } })
  const webhooks = await startWebhooks(environment, { ...shared, metricEvents, pricerOf: prices.pricer })
  const clusters = startClusters(environment, reading)
  const ofHttp: HttpDependencies = {
    traces: traces.useCases,
    media: media.useCases,
    monitors,
    views: createViewService({ ...control, clock, newId: () => ids.newId('view'), limits: config.limits }),
    webhooks: webhooks.useCases,
    clusters: clusters.useCases,
    prices,
    series,
    summaries,
    senders,
    facets: new ClickHouseTraceFacets(engine, FACET_TRACES),
    projects: projectUseCases(control, environment, ids),
    keys: keyUseCases(control, environment, ids),
    sessions: sessionUseCases(control, environment, oneTimeSignIn),
    authenticator: authenticatorOf(control, environment),
    feed,
    settings: shownSettings(config),
    dashboard: { directory: DASHBOARD, newNonce: () => Buffer.from(systemRandomBytes(16)).toString('base64') },
    current: stores.nodes?.current,
    metrics,
    instruments,
    readiness,
    logger,
    limits: config.limits,
    mostConnections: config.maxConnections,
    intakeRefusal: traces.refusal,
    ingestBudget,
    exportRoom: exportRoom(),
    countingRoom: countingRoom(),
    work,
    answers,
    timers: systemTimers,
    hosts: config.hosts,
    newRequestId,
    version,
  }
  const app = buildHttpApp(ofHttp)

  // The dispatch of events stops after the commits, so that events of the last commit become deliveries, too.
  await parts.start(
    'webhooks',
    () => webhooks,
    ({ close }) => close(),
  )
  await startSingle(stores, parts, webhooks.dispatch)
  await parts.start(
    'commits',
    () => traces,
    ({ close }) => close(),
  )
  await startSingle(stores, parts, { name: 'completion', start: () => startCompletion(environment, traces) })
  const stopRounds = (rounds: Rounds) => rounds.stop()
  const house = { ...shared, media, webhooks }
  await parts.start('rounds of this node', () => startNodeRounds(environment, house), stopRounds)
  await startSingle(stores, parts, { name: 'housekeeping', start: () => startHousekeeping(environment, house) })
  await hooks.startOwnParts?.()
  const sample = () => storeSize.start(systemTimers, STORE_SIZE_EVERY_MS)
  await parts.start('size of the store', sample, () => storeSize.stop())
  await parts.start(
    'discovery of clusters',
    () => clusters.startJobs(),
    () => clusters.stop(),
  )
  await startSingle(stores, parts, { name: 'clusters', start: async () => clusters.startRounds() })
  await startSingle(stores, parts, monitorWork)
  await parts.start(
    'media',
    () => media,
    ({ close }) => close(),
  )
  await parts.start(
    'routes',
    () => app.ready(),
    () => app.close(),
  )
  // Before the first project, because a port may be taken.
  const grpc = await parts.start(
    'port of OTLP over gRPC',
    async () => (config.otlpGrpcPort === 0 ? null : (await import('./start-grpc.ts')).startGrpc(ofHttp, config)),
    (server) => server?.close(0),
  )
  const make = () => bootstrap({ ...control, clock, ids, randomBytes: systemRandomBytes }, config.bootstrapKey)
  const listen = async () => {
    // After everything that can end a first start: its key is shown by this start or by none.
    const made = await (hooks.bootstrapAlone?.(make) ?? make())
    await hooks.beforeAnswers?.()
    held.release()
    await app.listen({ host: config.host, port: held.port })
    grpc?.open()
    webhooks.send()
    return made
  }
  const first = await parts.start('requests and deliveries', listen, async () => {
    const graceMs = config.shutdownTimeoutMs * GRACE_SHARE
    const impatience = systemTimers.after(graceMs, () => app.server.closeAllConnections())
    await Promise.all([webhooks.stopSending(graceMs), app.close(), grpc?.close(graceMs)])
    impatience()
  })
  if (first.bootstrapKey === 'revoked' || first.bootstrapKey === 'expired') {
    logger.warn({ state: first.bootstrapKey }, 'SPOOR_BOOTSTRAP_KEY opens nothing')
  }
  const stop = () => {
    readiness.beginStop()
    return parts.stop()
  }
  return {
    url: urlOf(config, app.server.address()),
    projectId: first.projectId,
    firstStart: first.firstStart,
    firstKey: first.secret,
    // Only this process knows the token, and a load balancer may choose another node.
    signInToken: first.secret === null || stores.nodes !== undefined ? null : oneTimeSignIn.issue(first.secret),
    bootstrapKey: first.bootstrapKey,
    stop: once(stop),
  }
}

/** Makes ids of traces sort after all earlier ones, whatever the clock says. */
export function idsAfter(lastTraceId: TraceId | null, { clock }: Pick<Environment, 'clock'>): IdGenerator {
  const ids = createIdGenerator(clock, systemRandomBytes)
  if (lastTraceId !== null) ids.startAfter(lastTraceId)
  return ids
}

/** Makes the ids of requests. */
export function requestIdsOf({ clock }: Pick<Environment, 'clock'>): () => string {
  const ids = createIdGenerator(clock, systemRandomBytes)
  return () => ids.newId('evt').slice('evt_'.length)
}

function urlOf({ host }: Config, address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the service does not listen on a port')
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${address.port}`
}

function once(run: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | null = null
  return () => (result ??= run())
}
