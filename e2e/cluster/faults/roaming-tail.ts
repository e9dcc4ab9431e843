import { setTimeout as sleep } from 'node:timers/promises'
import type { TailFollower } from '../../crash/tail-follower.ts'
import type { Workload } from '../../crash/workload.ts'
import type { Nodes } from '../../lib/cluster/nodes.ts'

const LONGEST_STAY_MS = 1500
const TRY_AGAIN_MS = 50

/**
 * Follows the tail until the load ends, and continues every now and then, or when the connection ends, at any node
 * where it left off.
 */
export async function roam(tail: TailFollower, nodes: Nodes, workload: Workload): Promise<void> {
  const { random, killed, ended = killed } = workload
  while (!ended()) {
    try {
      await tail.connect(nodes, workload.mayRefuseReads)
      await sleep(random.below(LONGEST_STAY_MS))
      await tail.disconnect()
    } catch {
      // That node has ended, or takes no readers at the moment.
      await tail.disconnect()
      await sleep(TRY_AGAIN_MS)
    }
  }
}
