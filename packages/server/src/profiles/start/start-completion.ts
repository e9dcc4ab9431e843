import { systemTimers } from '../../lib/time/timers.ts'
import { QuietVersions } from '../../traces/commit/quiet-versions.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { StartedTraces } from './start-traces.ts'

const LOOK_EVERY_MS = 1000

/** Completes traces that came in pieces and are quiet. At two nodes it would do no harm, but the same work twice. */
export async function startCompletion(
  { config, logger }: Environment,
  traces: Pick<StartedTraces, 'completeQuiet' | 'refusal' | 'watermark'>,
): Promise<Rounds> {
  let versions = new QuietVersions(config.traceQuietMs)
  /** Everything that is quiet since this commit is complete. */
  let done: number | null = null
  return startRounds(LOOK_EVERY_MS, logger, async () => {
    // Senders are refused and will come again: that is not quiet.
    if (traces.refusal(0) !== null) {
      versions = new QuietVersions(config.traceQuietMs)
      return
    }
    const quiet = versions.sample(systemTimers.now(), traces.watermark().version)
    if (quiet !== null && quiet !== done && (await traces.completeQuiet(quiet))) done = quiet
  })
}
