import { systemTimers } from '../../lib/time/timers.ts'
import { QuietVersions } from '../../traces/commit/quiet-versions.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { ServiceStores } from './service-stores.ts'
import type { StartedTraces } from './start-traces.ts'

const LOOK_EVERY_MS = 1000

interface CompletionParts extends Pick<ServiceStores, 'nodes'> {
  readonly traces: Pick<StartedTraces, 'completeQuiet' | 'refusal' | 'watermark'>
}

/**
 * Completes traces that came in pieces and are quiet. Each of several nodes does so for the projects that it commits
 * for. While two nodes believe to own one, both do the same work, which harms nothing.
 */
export function startCompletion({ config, logger }: Environment, { traces, nodes }: CompletionParts): Rounds {
  let versions = new QuietVersions(config.traceQuietMs)
  /** Everything of these owners that is quiet since this commit is complete. */
  let done: { readonly version: number; readonly owners: unknown } | null = null
  return startRounds(LOOK_EVERY_MS, logger, async () => {
    // Senders are refused and will come again: that is not quiet.
    if (traces.refusal(0) !== null) {
      versions = new QuietVersions(config.traceQuietMs)
      return
    }
    const version = versions.sample(systemTimers.now(), traces.watermark().version)
    const owners = nodes?.list.owners
    if (version === null || (version === done?.version && owners === done.owners)) return
    const owns = (await nodes?.holdOwn()) ?? (() => true)
    if (await traces.completeQuiet(version, owns)) done = { version, owners }
  })
}
