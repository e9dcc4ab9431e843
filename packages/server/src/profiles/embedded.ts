import { resolve } from 'node:path'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { FACET_TRACES } from '@spoor/contract/schemas/traces/trace-facets'
import type { Config } from '../config.ts'
import { buildHttpApp } from '../http/kernel/app.ts'
import type { StartingServer } from '../http/connections/starting-server.ts'
import { JournalFeed } from '../journal/journal-feed.ts'
import { ByteBudget } from '../lib/work/byte-budget.ts'
import { ByteGate } from '../lib/work/byte-gate.ts'
import { systemClock } from '../lib/time/clock.ts'
import { createIdGenerator, type IdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { systemWorkTurns, WorkTurns } from '../lib/work/work-turns.ts'
import { DeletionReserve } from '../operation/deletion-reserve.ts'
import type { DiskGuard } from '../operation/disk-guard.ts'
import type { Logger } from '../operation/logging.ts'
import { createMetrics } from '../operation/metrics.ts'
import { Readiness } from '../operation/readiness.ts'
import { Sampled } from '../operation/sampled.ts'
import { bootstrap, type BootstrapResult } from '../projects/bootstrap.ts'
import { SignInToken } from '../projects/sign-in-token.ts'
import type { OpenClusterStore } from '../storage/sql/clusters/open-cluster-store.ts'
import { type ControlStore, openControlStore } from '../storage/sql/open-control-store.ts'
import { authenticatorOf, keyUseCases, projectUseCases, sessionUseCases } from './embedded/access.ts'
import type { Environment } from './embedded/environment.ts'
import { holdPort } from './embedded/hold-port.ts'
import { openDamageRecord } from './embedded/open-damage-record.ts'
import { adoptProjects, openEngine, openTraceStore } from './embedded/open-telemetry.ts'
import { shownSettings } from './embedded/shown-settings.ts'
import { openClusters, startClusters } from './embedded/start-clusters.ts'
import { checkIdentity, removeCheckFolders, surveyData } from './embedded/data-checks.ts'
import { Losses } from './embedded/losses.ts'
import { MergeSwitch } from './embedded/merge-switch.ts'
import { startDiskGuard } from './embedded/start-disk-guard.ts'
import { startHousekeeping } from './embedded/start-housekeeping.ts'
import { startMedia } from './embedded/start-media.ts'
import { startMetrics } from './embedded/start-metrics.ts'
import { startRewriting } from './embedded/start-rewriting.ts'
import { startTraces } from './embedded/start-traces.ts'
import { startWebhooks } from './embedded/start-webhooks.ts'
import { acceptDeliveryLoss, beginDeliveries } from '../webhooks/deliver/delivery-loss.ts'
import { type DeliveryStore, openDeliveryStore } from '../storage/sql/deliveries/open-delivery-store.ts'
import { type DataLock, lockDataDirectory } from '../storage/data-lock.ts'
import { checkDataModes } from '../storage/data-modes.ts'
import { ClickHouseTraceFacets } from '../storage/clickhouse/feed/clickhouse-trace-facets.ts'
import type { LoggedTraceStore } from '../storage/embedded/logged-trace-store.ts'
import type { PartsKeeper } from '../storage/clickhouse/parts/parts-keeper.ts'
import type { DamageRecord } from '../storage/clickhouse/damage/damage-record.ts'
import type { TelemetryEngine } from '../storage/clickhouse/engine/telemetry-engine.ts'
import { StaleRows } from '../storage/clickhouse/search/stale-rows.ts'

export interface RunningService {
  /** Where it answers, `http://host:port`. */
  readonly url: string
  readonly projectId: ProjectId
  /** Whether this start made the first project. */
  readonly firstStart: boolean
  /** The first key of a new store, to be shown once; null later. */
  readonly firstKey: string | null
  /** Signs in once with that key, within an hour; null without one. */
  readonly signInToken: string | null
  readonly bootstrapKey: BootstrapResult['bootstrapKey']
  /** Stops intake, commits what waits, closes everything. Resolves within the configured time; safe to call again. */
  stop(): Promise<void>
}

/** What `npm start` builds. */
const DASHBOARD = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url))
/** Counting more would cost a reader of the metrics more than it tells. */
const MOST_PURGES_COUNTED = 1_000_000
const STORE_SIZE_EVERY_MS = 15_000
/** What answers may hold together while slow readers take them. */
const ANSWERS_BYTES = 64 * 1024 * 1024
/** Of the time to stop: how long requests under way may take to end by themselves. */
const GRACE_SHARE = 0.7

/** The embedded service, put together: the only place, beside the command line, that names adapters. Throws OperatorError when it cannot run here. */
export async function startService(
  config: Config,
  logger: Logger,
  version: string,
  { acceptLoss = false }: { acceptLoss?: boolean } = {},
): Promise<RunningService> {
  const environment: Environment = { config, dataDir: resolve(config.dataDir), clock: systemClock, logger, version }
  const { dataDir, clock } = environment
  const onReadError = (error: unknown) => logger.error({ error }, 'the control store could not be read')
  const opened: { close(): unknown }[] = []
  const open = <T extends { close(): unknown }>(part: T): T => {
    opened.unshift(part)
    return part
  }
  try {
    const readiness = new Readiness(['store', 'engine', 'disk', 'data'])
    const newRequestId = requestIdsOf(environment)
    // First of all: when the port is taken, the data folder is not made, and the first start is still to come.
    const held = await holdPort({ ...config, version, readiness, newRequestId })
    open({ close: held.release })
    checkDataModes(dataDir, config.dataAccess)
    const lock = open(lockDataDirectory(dataDir))
    const losses = new Losses(environment, acceptLoss)
    const found = await surveyData(dataDir, losses)
    removeCheckFolders(dataDir)
    const control = open(openControlStore({ dataDir, clock, create: true, onReadError }))
    checkIdentity(found, control, dataDir, losses)
    const deliveries = open(openDeliveryStore({ dataDir, clock, onReadError }))
    const clusterStore = open(openClusters(environment))
    const damage = await openDamageRecord(environment, readiness)
    const stale = new StaleRows(config.fullText)
    const engine = stale.guard(open(await openEngine(environment, damage, found.record)))
    const merges = new MergeSwitch(engine, logger)
    const guard = await startDiskGuard(environment, readiness, merges)
    open({ close: () => guard.stop() })
    const deliverySources = { ...control, ...deliveries, mark: control.deliveryMark }
    const { store, keeper, deliveryLoss, journalLostChanges } = await openTraceStore(environment, {
      engine,
      stale,
      control,
      deliverySources,
      damage,
      found,
      losses,
      readiness,
    })
    open({ close: () => keeper.stop() })
    await (deliveryLoss === null ? beginDeliveries(deliverySources) : acceptDeliveryLoss(deliverySources))
    if (acceptLoss) await damage.accept()
    const reserve = new DeletionReserve({ directory: dataDir })
    return await startOn(
      {
        lock,
        control,
        deliveries,
        clusterStore,
        engine,
        stale,
        damage,
        store,
        keeper,
        guard,
        merges,
        reserve,
        readiness,
        journalLostChanges,
        held,
        newRequestId,
      },
      environment,
      acceptLoss,
    )
  } catch (error) {
    for (const part of opened) await part.close()
    throw error
  }
}

interface Ground {
  readonly held: StartingServer
  readonly newRequestId: () => string
  readonly lock: DataLock
  readonly journalLostChanges: boolean
  readonly store: LoggedTraceStore
  readonly keeper: PartsKeeper
  readonly control: ControlStore
  readonly deliveries: DeliveryStore
  readonly clusterStore: OpenClusterStore
  readonly engine: TelemetryEngine
  readonly stale: StaleRows
  readonly damage: DamageRecord
  readonly guard: DiskGuard
  readonly merges: MergeSwitch
  readonly reserve: DeletionReserve
  readonly readiness: Readiness
}

async function startOn(ground: Ground, environment: Environment, adopting: boolean): Promise<RunningService> {
  const { lock, control, deliveries, clusterStore, engine, damage, store, keeper, guard, readiness, held } = ground
  const { config, clock, logger, version } = environment
  const { journal } = control
  const ids = idsAfter(journal.last().lastTraceId, environment)
  readiness.report('store', null)
  readiness.report('engine', null)

  const oneTimeSignIn = new SignInToken({ clock, randomBytes: systemRandomBytes })
  const ingestBudget = new ByteBudget(config.ingestBufferBytes)
  const answers = new ByteGate(ANSWERS_BYTES)
  const work = new WorkTurns(systemWorkTurns)
  const feed = await JournalFeed.open(journal)
  const storeSize = new Sampled(
    async () => (await store.sizeBytes()) + control.sizeBytes() + deliveries.sizeBytes() + clusterStore.sizeBytes(),
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
  const shared = { ...ground, store, feed, ids, ingestBudget, answers, work, instruments }
  const traces = startTraces(environment, shared)
  const { metrics, metricEvents, prices, series, monitors, evaluator } = startMetrics(environment, {
    ...shared,
    traces,
    clusters: clusterStore.clusters,
  })
  const { media, closeBlobs } = await startMedia(environment, { ...shared, traces: { locate: traces.locate } })
  const webhooks = await startWebhooks(environment, { ...shared, metricEvents })
  const clusters = startClusters(environment, { ...shared, traces })
  const app = buildHttpApp({
    traces: traces.useCases,
    media: media.useCases,
    monitors,
    webhooks: webhooks.useCases,
    clusters: clusters.useCases,
    prices,
    series,
    facets: new ClickHouseTraceFacets(engine, FACET_TRACES),
    projects: projectUseCases(control, environment, ids),
    keys: keyUseCases(control, environment, ids),
    sessions: sessionUseCases(control, environment, oneTimeSignIn),
    authenticator: authenticatorOf(control, environment),
    feed,
    settings: shownSettings(config),
    dashboard: { directory: DASHBOARD, newNonce: () => Buffer.from(systemRandomBytes(16)).toString('base64') },
    metrics,
    instruments,
    readiness,
    logger,
    limits: config.limits,
    mostConnections: config.maxConnections,
    intakeRefusal: traces.refusal,
    ingestBudget,
    work,
    answers,
    timers: systemTimers,
    hosts: config.hosts,
    newRequestId: ground.newRequestId,
    version,
  })
  const housekeeping = await startHousekeeping(environment, { ...shared, media, webhooks })
  const rewriting = startRewriting(environment, shared)
  storeSize.start(systemTimers, STORE_SIZE_EVERY_MS)
  const stopRounds = async () => {
    await Promise.all([housekeeping.stop(), rewriting.stop(), storeSize.stop()])
  }
  let first: BootstrapResult
  try {
    webhooks.follow()
    await app.ready()
    // Behind everything that can end a first start: its key is shown by this start or by none.
    first = await bootstrap({ ...control, clock, ids, randomBytes: systemRandomBytes }, config.bootstrapKey)
    // Behind the first project, which is made with a key.
    if (adopting) await adoptProjects(engine, control.projects, clock.now())
    held.release()
    await app.listen({ host: config.host, port: held.port })
  } catch (error) {
    await app.close()
    await stopRounds()
    await webhooks.close()
    throw error
  }
  if (first.bootstrapKey === 'revoked' || first.bootstrapKey === 'expired') {
    logger.warn({ state: first.bootstrapKey }, 'SPOOR_BOOTSTRAP_KEY opens nothing')
  }
  evaluator.start()
  webhooks.send()
  await clusters.start()
  const stop = async () => {
    readiness.beginStop()
    const graceMs = config.shutdownTimeoutMs * GRACE_SHARE
    const impatience = systemTimers.after(graceMs, () => app.server.closeAllConnections())
    const sent = webhooks.stopSending(graceMs)
    await app.close()
    impatience()
    await media.close()
    await evaluator.stop()
    await clusters.stop()
    await traces.close()
    await stopRounds()
    await sent
    await webhooks.close()
    guard.stop()
    closeBlobs()
    await store.close().catch((error: unknown) => logger.error({ error }, 'the log holds commits for the next start'))
    await keeper.stop()
    await engine.close()
    clusterStore.close()
    deliveries.close()
    control.close()
    lock.close()
  }
  return {
    url: urlOf(config, app.server.address()),
    projectId: first.projectId,
    firstStart: first.firstStart,
    firstKey: first.secret,
    signInToken: first.secret === null ? null : oneTimeSignIn.issue(first.secret),
    bootstrapKey: first.bootstrapKey,
    stop: once(stop),
  }
}

function requestIdsOf({ clock }: Environment): () => string {
  const ids = createIdGenerator(clock, systemRandomBytes)
  return () => ids.newId('evt').slice('evt_'.length)
}

/** Ids of traces sort behind all that were given before, whatever the clock says. */
function idsAfter(lastTraceId: TraceId | null, { clock }: Environment): IdGenerator {
  const ids = createIdGenerator(clock, systemRandomBytes)
  if (lastTraceId !== null) ids.startAfter(lastTraceId)
  return ids
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
