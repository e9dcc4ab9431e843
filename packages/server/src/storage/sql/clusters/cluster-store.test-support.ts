import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, systemClock } from '../../../lib/time/clock.ts'
import { openClusterStore, openDiscoveryMemory } from './open-cluster-store.ts'

/** For tests: the two ends of a store in a folder of its own, closed and removed at the end. */
export function temporaryClusters(context: TestContext, clock: Clock = systemClock) {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-clusters-'))
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    await new Promise((go) => setImmediate(go))
  }
  const store = openClusterStore({ dataDir, clock, pause })
  const memory = openDiscoveryMemory(dataDir, clock)
  context.after(() => {
    memory.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, store, memory, pauses }
}
