import type { CommandStores } from '../../cli/command.ts'
import type { ClusterConfig } from '../../config/cluster-config.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { readAuthorities } from '../../storage/authorities.ts'
import { openPostgresql } from '../../storage/sql/postgresql/open-postgresql.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'

/** Projects and keys of a cluster, for the command line. Nodes notice at once what a command changes. */
export async function openCommandStores(
  { postgresUrl }: ClusterConfig,
  tlsCaFile: string | null,
): Promise<CommandStores> {
  const { database, close } = await openPostgresql({
    url: postgresUrl,
    ca: readAuthorities(tlsCaFile),
    clock: systemClock,
    random: Math.random,
    pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
    mostConnections: 2,
  })
  const { projects, keys, audit } = postgresqlStoresOn(database, systemClock)
  return { projects, keys, audit, close }
}
