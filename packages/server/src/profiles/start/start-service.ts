import type { AddressInfo } from 'node:net'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Config } from '../../config.ts'
import { buildHttpApp } from '../../http/kernel/app.ts'
import { createIdGenerator, type IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { bootstrap, type BootstrapResult } from '../../projects/bootstrap.ts'
import { type ComposedService, composeService } from './compose-service.ts'
import type { Environment } from './environment.ts'
import type { Parts } from './parts.ts'
import type { ServiceStores } from './service-stores.ts'
import { startCompletion } from './start-completion.ts'
import { startHousekeeping } from './start-housekeeping.ts'
import { startNodeRounds } from './start-node-rounds.ts'
import { startSingle } from './start-single.ts'
import { startValues } from './start-values.ts'
import type { Greeted } from '../../cli/greeting.ts'

export interface RunningService extends Greeted {
  readonly projectId: ProjectId
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

const STORE_SIZE_EVERY_MS = 15_000
/** Share of the stop time in which requests in flight may end by themselves. */
const GRACE_SHARE = 0.7

/** Composes the use cases on open stores, and starts the background work, the server last. */
export async function startServiceOn(
  stores: ServiceStores,
  environment: Environment,
  parts: Parts,
  hooks: ServiceHooks = {},
): Promise<RunningService> {
  const { control, readiness, held, ids } = stores
  const { config, clock, logger } = environment
  const service = await composeService(stores, environment)
  const { webhooks, ofHttp, oneTimeSignIn } = service
  const app = buildHttpApp(ofHttp)
  await startBackground(service, { stores, environment, parts, hooks })
  await parts.startWith(
    'routes',
    () => app.ready(),
    () => app.close(),
  )
  // Before the first project, because a port may be taken.
  const grpc = await parts.startWith(
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
  const first = await parts.startWith('requests and deliveries', listen, async () => {
    const graceMs = config.shutdownTimeoutMs * GRACE_SHARE
    const impatience = systemTimers.after(graceMs, () => app.server.closeAllConnections())
    await Promise.all([webhooks.stopSending(graceMs), app.close(), grpc?.close(graceMs)])
    impatience()
  })
  if (first.bootstrapKey === 'revoked' || first.bootstrapKey === 'expired') {
    logger.warn({ state: first.bootstrapKey }, 'SPOOR_BOOTSTRAP_KEY opens nothing')
  }
  // When it answers: other nodes send requests here from now on.
  await stores.nodes?.list.join()
  const stop = async () => {
    await stores.nodes?.list.leave()
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

interface Start {
  readonly stores: ServiceStores
  readonly environment: Environment
  readonly parts: Parts
  readonly hooks: ServiceHooks
}

/** Parts end in the reverse of this order. */
async function startBackground(service: ComposedService, { stores, environment, parts, hooks }: Start): Promise<void> {
  const { shared, traces, media, webhooks, clusters, monitorWork, versionWork, storeSize } = service
  // The dispatch of events stops after the commits, so that events of the last commit become deliveries, too.
  await parts.start('webhooks', () => webhooks)
  await startSingle(stores, parts, webhooks.dispatch)
  await parts.start('commits', () => traces)
  await parts.start('completion', () => startCompletion(environment, { ...stores, traces }))
  await parts.start('search of values', () => startValues(environment, { ...stores, traces }))
  const { retention, countTraces, userDeletions } = service
  const house = { ...shared, media, webhooks, traces, retention, countTraces, userDeletions }
  await parts.start('rounds of this node', () => startNodeRounds(environment, house))
  await startSingle(stores, parts, { name: 'housekeeping', start: () => startHousekeeping(environment, house) })
  await hooks.startOwnParts?.()
  const sample = () => storeSize.start(systemTimers, STORE_SIZE_EVERY_MS)
  await parts.startWith('size of the store', sample, () => storeSize.stop())
  await parts.startWith(
    'discovery of clusters',
    () => clusters.startJobs(),
    () => clusters.stop(),
  )
  await startSingle(stores, parts, { name: 'clusters', start: async () => clusters.startRounds() })
  await startSingle(stores, parts, monitorWork)
  await startSingle(stores, parts, versionWork)
  await parts.start('media', () => media)
}

/** Makes ids of traces sort after all earlier ones, whatever the clock says. */
export function idsAfter(lastTraceId: TraceId | null, { clock }: Pick<Environment, 'clock'>): IdGenerator {
  const ids = createIdGenerator(clock, systemRandomBytes)
  if (lastTraceId !== null) ids.startAfter(lastTraceId)
  return ids
}

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
