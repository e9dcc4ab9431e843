import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ProjectId } from '@spoor/contract/ids'
import { FACET_TRACES } from '@spoor/contract/schemas/trace-facets'
import type { Config } from './config.ts'
import { buildHttpApp } from './http/app.ts'
import { JournalFeed } from './journal/journal-feed.ts'
import { ByteBudget } from './lib/byte-budget.ts'
import { ByteGate } from './lib/byte-gate.ts'
import { systemClock } from './lib/clock.ts'
import { createIdGenerator } from './lib/ids.ts'
import { systemRandomBytes } from './lib/random.ts'
import { systemTimers } from './lib/timers.ts'
import { pruneHistory } from './monitors/prune-history.ts'
import { DiskGuard, freeBytesOf } from './operation/disk-guard.ts'
import type { Logger } from './operation/logging.ts'
import { createMetrics } from './operation/metrics.ts'
import { Readiness } from './operation/readiness.ts'
import { Sampled } from './operation/sampled.ts'
import { bootstrap, type BootstrapResult } from './projects/bootstrap.ts'
import { pruneSessions } from './projects/prune-sessions.ts'
import { SignInToken } from './projects/sign-in-token.ts'
import type { OpenClusterStore } from './storage/clusters/open-cluster-store.ts'
import { type ControlStore, openControlStore } from './storage/control/open-control-store.ts'
import { authenticatorOf, keyUseCases, projectUseCases, sessionUseCases } from './start/access.ts'
import type { Environment } from './start/environment.ts'
import { startRounds } from './start/rounds.ts'
import { shownSettings } from './start/shown-settings.ts'
import { openClusters, startClusters } from './start/start-clusters.ts'
import { startMedia } from './start/start-media.ts'
import { startMetrics } from './start/start-metrics.ts'
import { startWebhooks } from './start/start-webhooks.ts'
import { type DeliveryStore, openDeliveryStore } from './storage/deliveries/open-delivery-store.ts'
import { openChdbEngine } from './storage/telemetry/chdb-engine.ts'
import { ClickHouseTraceFacets } from './storage/telemetry/clickhouse-trace-facets.ts'
import { ClickHouseTraceStore } from './storage/telemetry/clickhouse-trace-store.ts'
import { LoggedTraceStore } from './storage/telemetry/logged-trace-store.ts'
import { openTelemetrySchema } from './storage/telemetry/open-telemetry-schema.ts'
import { keepHouse } from './traces/keep-house.ts'
import { createTraceService } from './traces/trace-service.ts'

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
const DASHBOARD = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))
/** Engine sessions that answer reads at the same time. */
const READERS = 4
const HOUSEKEEPING_EVERY_MS = 30_000
const STORE_SIZE_EVERY_MS = 15_000
/** What clients have put into the store is taken in this late at most, unless somebody reads it before. */
const STAGED_EVERY_MS = 5000
/** What answers may hold together while slow readers take them. */
const ANSWERS_BYTES = 64 * 1024 * 1024
/** Of the time to stop: how long requests under way may take to end by themselves. */
const GRACE_SHARE = 0.7

/** The embedded service, put together: the only place, beside the command line, that names adapters. Throws OperatorError when it cannot run here. */
export async function startService(config: Config, logger: Logger, version: string): Promise<RunningService> {
  const dataDir = resolve(config.dataDir)
  const clock = systemClock
  const onReadError = (error: unknown) => logger.error({ error }, 'the control store could not be read')
  const control = openControlStore({ dataDir, clock, create: true, onReadError })
  const opened: { close(): void }[] = [control]
  const open = <T extends { close(): void }>(store: T): T => {
    opened.unshift(store)
    return store
  }
  try {
    const deliveries = open(openDeliveryStore({ dataDir, clock, onReadError }))
    const clusterStore = open(openClusters({ dataDir, clock, logger }))
    return await startOn({ control, deliveries, clusterStore }, { config, dataDir, clock, logger, version })
  } catch (error) {
    for (const store of opened) store.close()
    throw error
  }
}

interface Stores {
  readonly control: ControlStore
  readonly deliveries: DeliveryStore
  readonly clusterStore: OpenClusterStore
}

async function startOn(stores: Stores, environment: Environment): Promise<RunningService> {
  const { control, deliveries, clusterStore } = stores
  const { config, dataDir, clock, logger, version } = environment
  const { journal } = control
  const ids = createIdGenerator(clock, systemRandomBytes)
  const { lastTraceId } = journal.last()
  if (lastTraceId !== null) ids.startAfter(lastTraceId)

  const directory = join(dataDir, 'telemetry')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const engine = openChdbEngine({
    directory,
    memoryBytes: config.memoryBytes,
    readers: READERS,
    onReadError: (error) => logger.error({ error }, 'the telemetry store could not answer a read'),
  })
  const readiness = new Readiness(['store', 'engine', 'disk'])
  const guard = new DiskGuard({
    freeBytes: () => freeBytesOf(dataDir),
    reserveBytes: config.diskReserveBytes,
    onError: (error) => logger.error({ error }, 'the free disk space cannot be read'),
  })
  try {
    await openTelemetrySchema(engine)
    const store = await LoggedTraceStore.open(new ClickHouseTraceStore(engine), join(dataDir, 'commit-log'), {
      committedVersion: journal.last().version,
      fullText: config.fullText,
      timers: systemTimers,
      onSettledAtStart: (commits) => logger.info({ commits }, 'settled commits that the last stop left in the log'),
      onError: (error) => {
        logger.error({ error }, 'commits could not be moved from the log into the engine yet')
        readiness.report('engine', 'the engine takes nothing in')
      },
      onRecovered: () => {
        logger.warn('the engine takes commits in again')
        readiness.report('engine', null)
      },
      onReleaseError: (error) => logger.error({ error }, 'a file of the commit log could not be removed yet'),
    })
    readiness.report('store', null)
    readiness.report('engine', null)
    await guard.start(systemTimers, (problem) => {
      readiness.report('disk', problem)
      if (problem === null) logger.warn('there is disk space again: intake goes on')
      else logger.error({ problem }, 'intake is closed')
    })
    readiness.report('disk', guard.problem())

    const first = await bootstrap({ ...control, clock, ids, randomBytes: systemRandomBytes }, config.bootstrapKey)
    if (first.bootstrapKey === 'revoked' || first.bootstrapKey === 'expired') {
      logger.warn({ state: first.bootstrapKey }, 'SPOOR_BOOTSTRAP_KEY opens nothing')
    }
    const oneTimeSignIn = new SignInToken({ clock, randomBytes: systemRandomBytes })
    const ingestBudget = new ByteBudget(config.ingestBufferBytes)
    const answers = new ByteGate(ANSWERS_BYTES)
    const feed = new JournalFeed(journal)
    const storeSize = new Sampled(
      async () => (await store.sizeBytes()) + control.sizeBytes() + deliveries.sizeBytes() + clusterStore.sizeBytes(),
      (error) => logger.error({ error }, 'the size of the store could not be read'),
    )
    const instruments = createMetrics({
      journalHead: () => journal.headPosition(),
      webhooksBehind: () => webhooks.behind(),
      pendingDeliveries: () => deliveries.queue.pendingCount(),
      storeSizeBytes: () => storeSize.value,
      ingestBufferBytes: () => ingestBudget.usedBytes,
      onError: (error) => logger.error({ error }, 'the metrics are not complete'),
    })
    const traces = createTraceService({
      store,
      journal,
      clock,
      newTraceId: () => ids.newId('tr'),
      newStepId: () => ids.newId('st'),
      newMetricEventId: () => ids.newId('mev'),
      newAttachmentId: () => ids.newId('med'),
      media: control.media,
      clusters: clusterStore.clusters,
      limits: config.limits,
      fullText: config.fullText,
      maxQueueBytes: config.queueMaxBytes,
      ingestBudget,
      answers,
      metrics: instruments.commits,
      intakeBlock: () => guard.refusal(),
      publish: (rows) => feed.publish(rows),
      onError: (error, message) => {
        logger.error({ error }, message)
        readiness.report('store', message)
      },
      onRepaired: () => {
        logger.warn('the store is repaired: intake goes on')
        readiness.report('store', null)
      },
      pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
    })
    const { metrics, metricEvents, prices, series, monitors, evaluator } = startMetrics(environment, {
      control,
      engine,
      store,
      traces,
      clusters: clusterStore.clusters,
      ids,
      ingestBudget,
      answers,
      guard,
    })
    const { media, closeBlobs } = await startMedia(environment, {
      control,
      traces: { locate: traces.locate },
      ids,
      guard,
    })
    const webhooks = await startWebhooks(environment, {
      control,
      deliveries,
      store,
      metricEvents,
      feed,
      ids,
      instruments,
    })
    const clusters = startClusters(environment, { control, engine, store, traces, feed, ids, clusterStore })
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
      ingestBudget,
      answers,
      timers: systemTimers,
      newRequestId: () => ids.newId('evt').slice('evt_'.length),
      version,
    })
    const rounds = [
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () =>
        keepHouse(
          {
            store,
            journal,
            journalRetentionMs: config.journalRetentionMs,
            dispatchedThrough: webhooks.dispatchedThrough,
          },
          clock.now(),
        ),
      ),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => media.keepHouse()),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneHistory(control.monitors, clock.now())),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => webhooks.keepHouse()),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneSessions(control.sessions, clock.now())),
      startRounds(STAGED_EVERY_MS, logger, () => media.takeInStaged()),
    ]
    storeSize.start(systemTimers, STORE_SIZE_EVERY_MS)
    const stopRounds = async () => {
      await Promise.all([...rounds.map((round) => round.stop()), storeSize.stop()])
    }
    try {
      webhooks.follow()
      await app.listen({ host: config.host, port: config.port })
    } catch (error) {
      await app.close()
      await stopRounds()
      await webhooks.close()
      throw error
    }
    evaluator.start()
    webhooks.send()
    await clusters.start()
    const stop = async () => {
      readiness.beginStop()
      const impatience = systemTimers.after(config.shutdownTimeoutMs * GRACE_SHARE, () =>
        app.server.closeAllConnections(),
      )
      const sent = webhooks.stopSending(config.shutdownTimeoutMs * GRACE_SHARE)
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
      await engine.close()
      clusterStore.close()
      deliveries.close()
      control.close()
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
  } catch (error) {
    guard.stop()
    await engine.close()
    throw error
  }
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
