import type { Nodes } from '../../lib/cluster/nodes.ts'
import type { Service } from '../../lib/service.ts'
import { openSharedDatabase } from './open-shared-database.ts'

/** The node of each lease that has a holder: a node with several is there as often. `url` is that of PostgreSQL. */
export async function leaseHolders(nodes: Nodes, url: string): Promise<readonly Service[]> {
  const { database, close } = await openSharedDatabase(url)
  try {
    const leases = await database.read<{ holder: string }>({
      sql: 'SELECT holder FROM leases WHERE until > 0',
      parameters: [],
    })
    // A holder is named after its host, its process, and something random.
    const pids = leases.map(({ holder }) => Number(holder.split('-').at(-2)))
    return pids.flatMap((pid) => nodes.running().find((node) => node.pid === pid) ?? [])
  } finally {
    await close()
  }
}
