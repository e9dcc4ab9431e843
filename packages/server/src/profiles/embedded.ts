import { resolve } from 'node:path'
import type { DeletionReserve } from '../operation/deletion-reserve.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/time/clock.ts'
import type { Logger } from '../operation/logging.ts'
import { readProgress } from '../storage/move/move-progress.ts'
import { type Rounds, startRounds } from './start/rounds.ts'
import type { EmbeddedEnvironment } from './embedded/embedded-environment.ts'
import { explainFullDisk } from './embedded/explain-full-disk.ts'
import { openStores } from './embedded/open-stores.ts'
import { adoptProjects } from './embedded/open-telemetry.ts'
import { serviceStoresOf } from './embedded/service-stores-of.ts'
import { startingPrices } from './price-list.ts'
import { Parts } from './start/parts.ts'
import { type RunningService, startServiceOn } from './start/start-service.ts'

const RESTORE_EVERY_MS = 30_000

export type { RunningService } from './start/start-service.ts'

/**
 * The embedded service: one process with its data in a folder. Throws OperatorError when it cannot run here.
 * `acceptLoss`: continue although acknowledged data is missing.
 */
export async function startService(
  config: Config,
  logger: Logger,
  version: string,
  { acceptLoss = false }: { acceptLoss?: boolean } = {},
): Promise<RunningService> {
  const dataDir = resolve(config.dataDir)
  const listedPrices = startingPrices(config, dataDir)
  const environment: EmbeddedEnvironment = { config, dataDir, clock: systemClock, logger, version, listedPrices }
  const parts = new Parts(logger)
  try {
    const stores = await openStores(environment, parts, acceptLoss)
    const movedAt = (await readProgress(dataDir))?.finishedAt ?? undefined
    if (movedAt !== undefined) logger.warn({ movedAt }, 'this data was moved to a cluster, and is served here again')
    const service = await startServiceOn(await serviceStoresOf(stores, environment, parts), environment, parts, {
      async startOwnParts() {
        await parts.start('reserve for deletions', () => startReserve(environment, stores))
      },
      async beforeAnswers() {
        // After the first project, which is made with a key.
        if (acceptLoss) await adoptProjects(stores.engine, stores.control.projects, systemClock.now())
      },
    })
    return movedAt === undefined ? service : { ...service, movedAt }
  } catch (error) {
    // A part that cannot be stopped is logged: the operator needs the error that ended the start.
    await parts.stop().catch(() => undefined)
    throw explainFullDisk(error, dataDir)
  }
}

/** Keeps space for deletions on a full disk. */
function startReserve(
  { logger }: Pick<EmbeddedEnvironment, 'logger'>,
  { reserve }: { readonly reserve: Pick<DeletionReserve, 'restore'> },
): Rounds {
  const restore = () => {
    try {
      reserve.restore()
    } catch (error) {
      logger.error({ error }, 'space for deletions on a full disk could not be reserved yet')
    }
  }
  restore()
  return startRounds(RESTORE_EVERY_MS, logger, async () => restore())
}
