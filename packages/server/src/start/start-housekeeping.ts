import { pruneHistory } from '../monitors/prune-history.ts'
import { systemTimers } from '../lib/timers.ts'
import { ClockWatch } from '../operation/clock-watch.ts'
import { pruneSessions } from '../projects/prune-sessions.ts'
import type { ControlStore } from '../storage/control/open-control-store.ts'
import type { LoggedTraceStore } from '../storage/telemetry/logged-trace-store.ts'
import { keepHouse } from '../traces/keep-house.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { StartedMedia } from './start-media.ts'
import type { StartedWebhooks } from './start-webhooks.ts'

const HOUSEKEEPING_EVERY_MS = 30_000
/** What clients have put into the store is taken in this late at most, unless somebody reads it before. */
const STAGED_EVERY_MS = 5000

interface HouseParts {
  readonly control: ControlStore
  readonly store: LoggedTraceStore
  readonly media: StartedMedia['media']
  readonly webhooks: Pick<StartedWebhooks, 'dispatchedThrough' | 'keepHouse'>
}

/** What every part needs doing now and then; a part that fails or takes long keeps no other from its turn. */
export function startHousekeeping(
  { config, clock, logger }: Environment,
  { control, store, media, webhooks }: HouseParts,
): Rounds {
  const traces = {
    store,
    journal: control.journal,
    journalRetentionMs: config.journalRetentionMs,
    dispatchedThrough: webhooks.dispatchedThrough,
  }
  const { journal } = control
  const lastCommit = journal.readAll(journal.headPosition() - 1, 1).at(-1)
  const clockWatch = new ClockWatch({
    clock,
    timers: systemTimers,
    lastCommittedAt: lastCommit?.committedAt ?? null,
    onStep: ({ expectedMs, clockMs }) =>
      logger.warn(
        { expected: new Date(expectedMs).toISOString(), clock: new Date(clockMs).toISOString() },
        'the clock is wrong, or was: new traces get its time as their creation',
      ),
  })
  const rounds = [
    startRounds(HOUSEKEEPING_EVERY_MS, logger, async () => clockWatch.look()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => keepHouse(traces, clock.now())),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => media.keepHouse()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneHistory(control.monitors, clock.now())),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => webhooks.keepHouse()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneSessions(control.sessions, clock.now())),
    startRounds(STAGED_EVERY_MS, logger, () => media.takeInStaged()),
  ]
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}
