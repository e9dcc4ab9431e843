import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { whileLeased } from '../ports/leases/while-leased.ts'
import type { Logger } from '../operation/logging.ts'
import { newHolder } from './cluster/new-holder.ts'
import { openNode } from './cluster/open-node.ts'
import { watchServers } from './cluster/watch-servers.ts'
import { Parts } from './start/parts.ts'
import { type RunningService, startServiceOn } from './start/start-service.ts'

/**
 * One of several nodes, whose data is in PostgreSQL, ClickHouse and a bucket: it needs no folder. Throws OperatorError
 * when one of them cannot be used. `config.cluster` and `config.s3` MUST be set.
 */
export async function startService(
  config: Config,
  logger: Logger,
  version: string,
  { acceptLoss = false }: { acceptLoss?: boolean } = {},
): Promise<RunningService> {
  if (acceptLoss) throw new OperatorError('--accept-loss is for a data folder: the cluster profile has none.')
  const parts = new Parts(logger)
  try {
    const { environment, stores, servers } = await openNode({ config, logger, version, holder: newHolder() }, parts)
    await parts.start('probes of the servers', () => watchServers(servers, stores.readiness, logger))
    const { control, holder } = stores
    const lease = { name: 'first start', leases: control.leases, holder, timers: systemTimers }
    return await startServiceOn(stores, environment, parts, {
      bootstrapAlone: (make) => whileLeased(lease, make),
    })
  } catch (error) {
    // A part that cannot be stopped is logged: the operator needs the error that ended the start.
    await parts.stop().catch(() => undefined)
    throw error
  }
}
