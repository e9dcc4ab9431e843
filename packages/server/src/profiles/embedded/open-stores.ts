import { join } from 'node:path'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { DeletionReserve } from '../../operation/deletion-reserve.ts'
import type { DiskGuard } from '../../operation/disk-guard.ts'
import { Readiness } from '../../operation/readiness.ts'
import type { DamageRecord } from '../../storage/clickhouse/damage/damage-record.ts'
import { secureUnrecordedParts } from '../../storage/clickhouse/parts/unrecorded-parts.ts'
import { removeCopyFolders } from '../../storage/copy-folder.ts'
import { DATA_FILES } from '../../storage/data-files.ts'
import { lockDataDirectory } from '../../storage/data-lock.ts'
import { checkDataModes } from '../../storage/data-modes.ts'
import type { LoggedTraceStore } from '../../storage/embedded/logged-trace-store.ts'
import { openSecretKey } from '../../storage/secret-key.ts'
import type { OpenClusterStore } from '../../storage/sql/clusters/open-cluster-store.ts'
import { type DeliveryStore, openDeliveryStore } from '../../storage/sql/deliveries/open-delivery-store.ts'
import { type ControlStore, openControlStore } from '../../storage/sql/open-control-store.ts'
import { acceptDeliveryLoss, beginDeliveries } from '../../webhooks/deliver/delivery-loss.ts'
import type { Parts } from '../start/parts.ts'
import { checkIdentity, surveyData } from './data-checks.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'
import { holdPort } from '../start/hold-port.ts'
import { requestIdsOf } from '../start/start-service.ts'
import { Losses } from './losses.ts'
import { MergeSwitch } from './merge-switch.ts'
import { openDamageRecord } from './open-damage-record.ts'
import { openEngine, openTraceStore } from './open-telemetry.ts'
import { openClusters } from './open-clusters.ts'
import { startDiskGuard } from './start-disk-guard.ts'
import type { ServiceStores } from '../start/service-stores.ts'

/** Everything that holds data, checked for consistency, and the guard of the disk that holds it. */
export interface OpenStores extends Pick<
  ServiceStores,
  'held' | 'newRequestId' | 'readiness' | 'engine' | 'secretBox'
> {
  readonly control: ControlStore
  readonly deliveries: DeliveryStore
  readonly clusterStore: OpenClusterStore
  readonly damage: DamageRecord
  readonly store: LoggedTraceStore
  readonly guard: DiskGuard
  readonly merges: MergeSwitch
  readonly reserve: DeletionReserve
  /** The control store has lost its last changes. */
  readonly journalLostChanges: boolean
}

/**
 * Opens the stores of the data directory as parts, in the order in which they are checked against one another. Throws
 * OperatorError when one cannot be opened, or when acknowledged data is missing and its loss not accepted.
 */
export async function openStores(
  environment: EmbeddedEnvironment,
  parts: Parts,
  acceptLoss: boolean,
): Promise<OpenStores> {
  const { config, dataDir, clock, logger } = environment
  const onReadError = (error: unknown) => logger.error({ error }, 'the control store could not be read')
  const readiness = new Readiness(['store', 'engine', 'disk', 'data'])
  const newRequestId = requestIdsOf(environment)
  // First of all: if the port is taken, the data folder is not made, and the next start is still the first.
  const hold = () => holdPort({ ...config, version: environment.version, readiness, newRequestId })
  const held = await parts.startWith('port', hold, (port) => port.release())
  checkDataModes(dataDir, config.dataAccess)
  await parts.start('data directory', () => lockDataDirectory(dataDir))
  const losses = new Losses(environment, acceptLoss)
  const found = await surveyData(dataDir, losses)
  removeCopyFolders(dataDir)
  const openControl = () => openControlStore({ dataDir, clock, create: true, onReadError })
  const control = await parts.start('control store', openControl)
  checkIdentity(found, control, dataDir, losses)
  const secretBox = await control.openSecretBox({
    openKey: (mayMake) =>
      openSecretKey({ dataDir, configured: config.secretKey, randomBytes: systemRandomBytes, mayMake }),
    randomBytes: systemRandomBytes,
  })
  const openDeliveries = () => openDeliveryStore({ dataDir, clock, box: secretBox, onReadError })
  const deliveries = await parts.start('deliveries', openDeliveries)
  const clusterStore = await parts.start('cluster store', () => openClusters(environment))
  const damage = await openDamageRecord(environment, readiness)
  const record = found.record?.storeId === control.identity.storeId ? found.record : null
  const torn = await secureUnrecordedParts(join(dataDir, DATA_FILES.telemetry), record)
  if (torn.length > 0)
    logger.warn({ torn }, 'inserts that the last run left torn are set aside; the log has their rows')
  const engine = await parts.start('engine', () => openEngine(environment, damage))
  const merges = new MergeSwitch(engine, logger)
  const guard = await parts.start('disk guard', () => startDiskGuard(environment, readiness, merges))
  const deliverySources = { ...control, ...deliveries, mark: control.deliveryMark }
  const { store, deliveryLoss, journalLostChanges } = await openTraceStore(environment, parts, {
    engine,
    control,
    deliverySources,
    damage,
    found,
    torn,
    losses,
    readiness,
  })
  await (deliveryLoss === null ? beginDeliveries(deliverySources) : acceptDeliveryLoss(deliverySources))
  if (acceptLoss) await damage.accept()
  return {
    held,
    newRequestId,
    readiness,
    control,
    secretBox,
    deliveries,
    clusterStore,
    engine,
    damage,
    store,
    guard,
    merges,
    reserve: new DeletionReserve({ directory: dataDir }),
    journalLostChanges,
  }
}
