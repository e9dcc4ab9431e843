import { systemTimers } from '../../lib/time/timers.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { ServiceStores } from './service-stores.ts'
import type { StartedTraces } from './start-traces.ts'

const LOOK_EVERY_MS = 1000
/** Of a round. The traces of other projects wait no longer for their turns. */
const ROUND_MS = 100
/** After a round, as many times its duration pass before the next one, so that commits keep the main thread. */
const REST = 32

interface ValueParts extends Pick<ServiceStores, 'nodes'> {
  readonly traces: Pick<StartedTraces, 'values' | 'refusal'>
}

/** Searches complete traces for values from nowhere: each node those of the projects that it commits for. */
export function startValues({ logger }: Pick<Environment, 'logger'>, { traces, nodes }: ValueParts): Rounds {
  let isStopping = false
  const rounds = startRounds(LOOK_EVERY_MS, logger, async () => {
    if (traces.refusal(0) !== null || !traces.values.hasWork) return LOOK_EVERY_MS
    const isOwn = (await nodes?.holdOwn()) ?? (() => true)
    const begunAt = systemTimers.now()
    await traces.values.search(isOwn, () => isStopping || systemTimers.now() - begunAt > ROUND_MS)
    return Math.max(LOOK_EVERY_MS, REST * (systemTimers.now() - begunAt))
  })
  return {
    async stop() {
      isStopping = true
      await rounds.stop()
    },
  }
}
