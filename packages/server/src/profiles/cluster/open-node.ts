import type { ClusterConfig } from '../../config/cluster-config.ts'
import type { S3Account } from '../../lib/net/s3-account.ts'
import { threadsOf } from '../../clusters/worker/start-thread.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { UndiciNodeClient } from '../../node-client/undici-node-client.ts'
import { isEnded, LeasedRunner } from '../../operation/leased-runner.ts'
import { OneLease } from '../../operation/one-lease.ts'
import { Readiness } from '../../operation/readiness.ts'
import { startingPrices } from '../price-list.ts'
import { noOutcomes } from '../../ports/nodes/nodes.ts'
import { readBucketState } from '../../storage/blobs/bucket-timeline.ts'
import { readAuthorities } from '../../storage/authorities.ts'
import { NODE_LEASE } from '../../storage/cluster/cluster-log-statements.ts'
import type { ClusterLog } from '../../storage/cluster/cluster-log.ts'
import { KEPT_AFTER_WORK_MS } from '../../storage/cluster/held-partitions.ts'
import { NodeList } from '../../storage/cluster/node-list.ts'
import { ALL_PARTITIONS, partitionOf } from '../../storage/cluster/partitions.ts'
import { openPostgresqlDeliveries } from '../../storage/sql/deliveries/open-postgresql-deliveries.ts'
import { SqlJournal } from '../../storage/sql/journal/sql-journal.ts'
import { databaseSizeBytes } from '../../storage/sql/postgresql/database-size.ts'
import { openDatabaseClock } from '../../storage/sql/postgresql/database-clock.ts'
import { openPostgresql } from '../../storage/sql/postgresql/open-postgresql.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'
import type { Environment } from '../start/environment.ts'
import { holdPort } from '../start/hold-port.ts'
import type { Parts } from '../start/parts.ts'
import type { ServiceStores, SingleWork } from '../start/service-stores.ts'
import { idsAfter, requestIdsOf } from '../start/start-service.ts'
import type { DiscoveryThreadData } from './discovery-thread.ts'
import { addressOf } from './address-of.ts'
import { clusterFigures } from './cluster-figures.ts'
import { openBucket } from './open-bucket.ts'
import { openTelemetry } from './open-telemetry.ts'
import { ReadTotals } from './read-totals.ts'
import type { Servers } from './watch-servers.ts'

interface Node {
  readonly environment: Environment
  readonly stores: ServiceStores
  readonly servers: Servers
}

export interface NodeOptions extends Pick<Environment, 'config' | 'logger' | 'version'> {
  /** Names this process among all nodes. */
  readonly holder: string
}

/** Of one node to PostgreSQL; each of two discoveries that run adds one (discovery-thread.ts): 10 together. */
const CONNECTIONS = 8

/** Connects to the three servers, as parts, and brings their schemas up to date. */
export async function openNode({ config, logger, version, holder }: NodeOptions, parts: Parts): Promise<Node> {
  // Settings that only the embedded profile leaves out.
  const { postgresUrl, clickhouse, nodeAddress } = config.cluster as ClusterConfig
  const secretKey = config.secretKey as Uint8Array
  const signingKey = config.signingKey as Uint8Array
  const ca = readAuthorities(config.tlsCaFile)
  const listedPrices = startingPrices(config, null)
  const onError = (error: unknown, message: string) => logger.error({ error }, message)
  const pause = (ms: number) => new Promise<void>((wake) => systemTimers.after(ms, wake))
  const reads = { postgresql: new ReadTotals(systemTimers), clickhouse: new ReadTotals(systemTimers) }
  const leases = new Map<string, LeasedRunner>()
  const readiness = new Readiness(['postgresql', 'clickhouse', 's3'])
  const newRequestId = requestIdsOf({ clock: systemClock })
  const hold = () => holdPort({ ...config, version, readiness, newRequestId })
  const held = await parts.startWith('port', hold, (port) => port.release())

  const connect = () =>
    openPostgresql({
      url: postgresUrl,
      ca,
      clock: systemClock,
      random: Math.random,
      pause,
      mostConnections: CONNECTIONS,
      around: reads.postgresql.around,
      onReadError: (error) => logger.error({ error }, 'PostgreSQL could not be read'),
    })
  const { database } = await parts.start('PostgreSQL', connect)
  // The time of all nodes: leases, due times and creation times do not depend on the clocks of their machines.
  const openClock = () => openDatabaseClock({ database, timers: systemTimers, onError })
  const clock = await parts.start('clock', openClock)
  const environment: Environment = { config, clock, logger, version, listedPrices }
  const { jobs, schedules, clusters, memory: _inTheThread, ...control } = postgresqlStoresOn(database, clock)
  const secretBox = await control.openSecretBox({ openKey: () => secretKey, randomBytes: systemRandomBytes })
  const journal = new SqlJournal(database.uncounted())
  const openDeliveries = () =>
    openPostgresqlDeliveries({ database, box: secretBox, node: holder, clock, timers: systemTimers, onError })
  const deliveries = await parts.start('deliveries', openDeliveries)
  const ids = idsAfter(null, environment)
  const client = await parts.start('requests to other nodes', () => new UndiciNodeClient(ca, systemTimers))
  const outcomes = noOutcomes()
  const list = new NodeList({
    database,
    self: { holder, address: nodeAddress ?? addressOf(config.host, held.port) },
    clock,
    timers: systemTimers,
    onEnd: (node, hasLeft) => (hasLeft ? client.leave(node) : client.abandon(node)),
    onError,
  })
  let leaseUntil: number | null = null
  let isHeld = false
  const oneLease = new OneLease({
    name: NODE_LEASE,
    leases: control.leases,
    holder,
    timers: systemTimers,
    isFree: () => leaseUntil === null || isEnded(leaseUntil, clock.now()),
    onError,
  })
  const { around } = reads.clickhouse
  await parts.start('lease of the work of one node', () => oneLease)
  const telemetry = await openTelemetry(
    {
      ...environment,
      clickhouse,
      ca,
      holder,
      database,
      leases: control.leases,
      oneLease,
      onHead(head) {
        leaseUntil = head.leaseUntil
        isHeld = head.isHeld
        list.look(head.controlVersion)
      },
      own: () => list.own,
      ids,
      around,
    },
    parts,
  )
  const { engine, shards, log, store, usesClickHouse, timeline } = telemetry
  const state = await readBucketState(database, timeline)
  const bucket = { settings: config.s3 as S3Account, ca, state, isNode: true }
  const { blobs } = await parts.start('bucket', () => openBucket(environment, bucket))
  const { embeddings, naming } = config
  const threadData: DiscoveryThreadData = { postgresUrl, ca, embeddings, naming }
  const stores: ServiceStores = {
    held,
    newRequestId,
    readiness,
    control: { ...control, journal },
    deliveries,
    clusterStore: { jobs, schedules, clusters },
    engine,
    store,
    blobs,
    ids,
    openLog({ metrics }) {
      log.subscribe({ refusing: () => metrics.commitFailed() })
      return log
    },
    onCommitError: onError,
    startClusterThread: threadsOf(new URL('./discovery-thread.ts', import.meta.url), threadData),
    holder,
    uploadOwner: holder,
    secretBox,
    signingKey,
    keepPendingUploads: false,
    figures: clusterFigures({ ...telemetry, reads, leases, list, outcomes, oneLease, isHeld: () => isHeld }),
    sizeBytes: async () => (await store.sizeBytes()) + (await databaseSizeBytes(database)),
    nodes: {
      list,
      forwarding: { nodes: list, client, key: secretKey, outcomes },
      current: () => log.follow(),
      hold: (projectId) => log.held.use(projectId),
      async holdOwn() {
        const own = new Set(list.own)
        await log.held.hold([...own])
        return (projectId) => own.has(partitionOf(projectId))
      },
      intakeUnder: (lease) => deliveries.intakeUnder(lease),
      runSingle({ name, start: begin }) {
        const start = startWithAll(log, begin)
        const runner = new LeasedRunner({ name, leases: oneLease, holder, timers: systemTimers, start, onError })
        leases.set(name, runner)
        return runner
      },
    },
  }
  oneLease.start()
  return { environment, stores, servers: { database, shards, blobs, log, usesClickHouse } }
}

/** Such work reads the rows of any project. */
function startWithAll(log: ClusterLog, start: SingleWork['start']): SingleWork['start'] {
  return async (lease) => {
    await log.follow()
    await log.held.hold(ALL_PARTITIONS, KEPT_AFTER_WORK_MS)
    return start(lease)
  }
}
