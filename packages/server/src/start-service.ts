import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { ProjectId } from '@spoor/contract/ids'
import type { Config } from './config.ts'
import { buildHttpApp } from './http/app.ts'
import { printMonitor } from './http/monitor-to-wire.ts'
import type { KeyUseCases, ProjectUseCases } from './http/ports.ts'
import { JournalFeed } from './journal/journal-feed.ts'
import { ByteBudget } from './lib/byte-budget.ts'
import { ByteGate } from './lib/byte-gate.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createIdGenerator, type IdGenerator } from './lib/ids.ts'
import { systemRandomBytes } from './lib/random.ts'
import { systemTimers } from './lib/timers.ts'
import { newBlobKey } from './media/blob-key.ts'
import type { BlobStore } from './media/blob-store.ts'
import { createMediaService } from './media/media-service.ts'
import type { MetricDefinition } from './metrics/metric-definition.ts'
import { createMetricService } from './metrics/metric-service.ts'
import { readMetricSeries } from './metrics/read-metric-series.ts'
import type { WatchableMetric } from './monitors/metric-lookup.ts'
import { evaluationInterval } from './monitors/due-times.ts'
import { MonitorEvaluator } from './monitors/monitor-evaluator.ts'
import { createMonitorService } from './monitors/monitor-service.ts'
import { pruneHistory } from './monitors/prune-history.ts'
import { DiskGuard, freeBytesOf } from './operation/disk-guard.ts'
import type { Logger } from './operation/logging.ts'
import { createMetrics } from './operation/metrics.ts'
import { Readiness } from './operation/readiness.ts'
import { Sampled } from './operation/sampled.ts'
import { createPriceService } from './pricing/price-service.ts'
import { authenticate } from './projects/authenticate.ts'
import { bootstrap, type BootstrapResult } from './projects/bootstrap.ts'
import { createKey } from './projects/create-key.ts'
import { createProject } from './projects/create-project.ts'
import { listKeys } from './projects/list-keys.ts'
import { listProjects } from './projects/list-projects.ts'
import { revokeKey } from './projects/revoke-key.ts'
import { openFolderBlobStore } from './storage/blobs/folder-blob-store.ts'
import { openS3BlobStore } from './storage/blobs/s3-blob-store.ts'
import { type ControlStore, openControlStore } from './storage/control/open-control-store.ts'
import { openSigningKey } from './storage/signing-key.ts'
import { openChdbEngine } from './storage/telemetry/chdb-engine.ts'
import { ClickHouseMetricEvents } from './storage/telemetry/clickhouse-metric-events.ts'
import { type AggregateDependencies, ClickHouseMetricSeries } from './storage/telemetry/clickhouse-metric-series.ts'
import { ClickHouseMonitorMeasures } from './storage/telemetry/clickhouse-monitor-measures.ts'
import { ClickHouseTraceSeries } from './storage/telemetry/clickhouse-trace-series.ts'
import { ClickHouseTraceStore } from './storage/telemetry/clickhouse-trace-store.ts'
import { LoggedMetricEventStore } from './storage/telemetry/logged-metric-event-store.ts'
import { LoggedTraceStore } from './storage/telemetry/logged-trace-store.ts'
import { openTelemetrySchema } from './storage/telemetry/open-telemetry-schema.ts'
import { keepHouse } from './traces/keep-house.ts'
import { readTraceSeries } from './traces/trace-series.ts'
import { createTraceService } from './traces/trace-service.ts'

export interface RunningService {
  /** Where it answers, `http://host:port`. */
  readonly url: string
  readonly projectId: ProjectId
  /** Whether this start made the first project. */
  readonly firstStart: boolean
  /** The first key of a new store, to be shown once; null later. */
  readonly firstKey: string | null
  readonly bootstrapKey: BootstrapResult['bootstrapKey']
  /** Stops intake, commits what waits, closes everything. Resolves within the configured time; safe to call again. */
  stop(): Promise<void>
}

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
  try {
    return await startOn(control, { config, dataDir, clock, logger, version })
  } catch (error) {
    control.close()
    throw error
  }
}

interface Environment {
  readonly config: Config
  readonly dataDir: string
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
}

async function startOn(control: ControlStore, environment: Environment): Promise<RunningService> {
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

    const pendingPurges = (limit: number) => journal.pendingPurges(limit)
    const first = await bootstrap({ ...control, clock, ids, randomBytes: systemRandomBytes }, config.bootstrapKey)
    if (first.bootstrapKey === 'revoked' || first.bootstrapKey === 'expired') {
      logger.warn({ state: first.bootstrapKey }, 'SPOOR_BOOTSTRAP_KEY opens nothing')
    }
    const ingestBudget = new ByteBudget(config.ingestBufferBytes)
    const answers = new ByteGate(ANSWERS_BYTES)
    const feed = new JournalFeed(journal)
    const storeSize = new Sampled(
      async () => (await store.sizeBytes()) + control.sizeBytes(),
      (error) => logger.error({ error }, 'the size of the store could not be read'),
    )
    const instruments = createMetrics({
      journalHead: () => journal.headPosition(),
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
    const metrics = createMetricService({
      metrics: control.metrics,
      recorder: traces,
      events: new LoggedMetricEventStore({
        recent: store.recentMetricEvents,
        settled: new ClickHouseMetricEvents(engine),
        journal,
        clock,
      }),
      clock,
      newMetricId: () => ids.newId('met'),
      limits: config.limits,
      budget: ingestBudget,
      answers,
      intakeBlock: () => guard.refusal(),
      pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
    })
    const { blobs, close: closeBlobs } = await openBlobStore(environment)
    const media = createMediaService({
      blobs,
      media: control.media,
      traces: { locate: traces.locate },
      clock,
      newId: () => ids.newId('med'),
      newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
      limits: config.limits,
      signingKey: openSigningKey(dataDir, systemRandomBytes),
      // What goes into a bucket passes the disk in parts.
      intakeBlock: (announcedBytes) => guard.refusal(config.s3 === null ? announcedBytes : 0),
      onError: (error, message) => logger.error({ error }, message),
      onRefusedUpload: (details) => logger.warn(details, 'a direct upload was refused'),
    })
    await media.recover()
    const prices = createPriceService({ prices: control.prices, clock })
    const aggregates: AggregateDependencies = { engine, settled: () => store.settled(), pendingPurges }
    const monitoring = {
      store: control.monitors,
      lease: control.monitors,
      measures: new ClickHouseMonitorMeasures(aggregates),
      findMetric: async (projectId: ProjectId, name: string) =>
        watchable(await control.metrics.findByName(projectId, name)),
      commitTransition: traces.commitTransition,
      print: printMonitor,
      clock,
      timers: systemTimers,
      intervalMs: evaluationInterval(config.monitorIntervalMs),
      newId: () => ids.newId('mon'),
      mostOfProject: config.limits.monitorsPerProject,
      holder: MONITOR_HOLDER,
      onError: (error: unknown, message: string) => logger.error({ error }, message),
    }
    const evaluator = new MonitorEvaluator(monitoring)
    const app = buildHttpApp({
      traces: traces.useCases,
      media: media.useCases,
      monitors: createMonitorService(monitoring),
      prices,
      series: {
        ofMetric: (request) =>
          readMetricSeries({ store: new ClickHouseMetricSeries(aggregates), findMetric: metrics.find, clock }, request),
        ofTraces: (request) =>
          readTraceSeries({ store: new ClickHouseTraceSeries(aggregates), pricerOf: prices.pricer, clock }, request),
      },
      projects: projectUseCases(control, environment, ids),
      keys: keyUseCases(control, environment, ids),
      authenticator: { authenticate: (secret) => authenticate({ keys: control.keys, clock }, secret) },
      feed,
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
        keepHouse({ store, journal, journalRetentionMs: config.journalRetentionMs }, clock.now()),
      ),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => media.keepHouse()),
      startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneHistory(control.monitors, clock.now())),
      startRounds(STAGED_EVERY_MS, logger, () => media.takeInStaged()),
    ]
    storeSize.start(systemTimers, STORE_SIZE_EVERY_MS)
    const stopRounds = async () => {
      await Promise.all([...rounds.map((round) => round.stop()), storeSize.stop()])
    }
    try {
      await app.listen({ host: config.host, port: config.port })
    } catch (error) {
      await app.close()
      await stopRounds()
      throw error
    }
    evaluator.start()
    const stop = async () => {
      readiness.beginStop()
      const impatience = systemTimers.after(config.shutdownTimeoutMs * GRACE_SHARE, () =>
        app.server.closeAllConnections(),
      )
      await app.close()
      impatience()
      await media.close()
      await evaluator.stop()
      await traces.close()
      await stopRounds()
      guard.stop()
      closeBlobs()
      await store.close().catch((error: unknown) => logger.error({ error }, 'the log holds commits for the next start'))
      await engine.close()
      control.close()
    }
    return {
      url: urlOf(config, app.server.address()),
      projectId: first.projectId,
      firstStart: first.firstStart,
      firstKey: first.secret,
      bootstrapKey: first.bootstrapKey,
      stop: once(stop),
    }
  } catch (error) {
    guard.stop()
    await engine.close()
    throw error
  }
}

/** A data folder belongs to one service at a time, so a service that starts again is the holder that it was, and need not wait for a lease to end. */
const MONITOR_HOLDER = 'the service of this folder'

/** A metric as monitors know it. */
function watchable(definition: MetricDefinition | undefined): WatchableMetric | undefined {
  if (definition === undefined) return undefined
  return { id: definition.id, kind: definition.kind, options: (definition.options ?? []).map(({ value }) => value) }
}

interface OpenBlobStore {
  readonly blobs: BlobStore
  /** Lets go of connections. */
  close(): void
}

/** In a bucket when one is configured, else in the data directory, like everything else. */
async function openBlobStore({ config, dataDir, clock, logger }: Environment): Promise<OpenBlobStore> {
  if (config.s3 === null) return { blobs: await openFolderBlobStore(join(dataDir, 'media')), close: () => undefined }
  const blobs = await openS3BlobStore({
    settings: config.s3,
    spoolFolder: join(dataDir, 'media-spool'),
    clock,
    timers: systemTimers,
    onLeftover: (error, key) =>
      logger.error({ error, key }, 'what a failed upload left in the bucket is removed later'),
  })
  return { blobs, close: () => blobs.close() }
}

function projectUseCases({ projects }: ControlStore, { clock }: Environment, ids: IdGenerator): ProjectUseCases {
  return {
    create: (project) => createProject({ projects, clock, ids }, project),
    find: (projectId) => projects.find(projectId),
    list: (page) => listProjects({ projects }, page),
  }
}

function keyUseCases({ projects, keys }: ControlStore, { clock }: Environment, ids: IdGenerator): KeyUseCases {
  return {
    create: (key) => createKey({ projects, keys, clock, ids, randomBytes: systemRandomBytes }, key),
    list: (request) => listKeys({ projects, keys }, request),
    revoke: (request) => revokeKey({ keys, clock }, request),
  }
}

/** Rounds with a pause between: one that takes longer than that is waited for. A failed one is logged and the next tries again. */
function startRounds(everyMs: number, logger: Logger, round: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | null = null
  const cancel = systemTimers.every(everyMs, () => {
    running ??= round()
      .catch((error: unknown) => logger.error({ error }, 'housekeeping failed'))
      .finally(() => (running = null))
  })
  return {
    async stop() {
      cancel()
      await running
    },
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
