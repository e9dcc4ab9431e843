import { systemTimers } from '../../lib/time/timers.ts'
import type { MediaService } from '../../media/media-service.ts'
import { ClockWatch } from '../../operation/clock-watch.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { ServiceStores } from './service-stores.ts'

const LOOK_EVERY_MS = 30_000
const RENEW_EVERY_MS = 5000

interface NodeParts extends Pick<ServiceStores, 'control'> {
  readonly media: Pick<MediaService, 'renewLeases'>
}

/** The periodic work of each process for itself: its clock, and the leases of the uploads that it receives. */
export async function startNodeRounds({ clock, logger }: Environment, { control, media }: NodeParts): Promise<Rounds> {
  const { journal } = control
  const lastCommit = (await journal.readAll((await journal.headPosition()) - 1, 1)).at(-1)
  const clockWatch = new ClockWatch({
    clock,
    timers: systemTimers,
    lastCommittedAt: lastCommit?.committedAt ?? null,
    onStep: ({ expectedMs, clockMs }) =>
      logger.warn(
        { expected: new Date(expectedMs).toISOString(), clock: new Date(clockMs).toISOString() },
        'the clock is or was wrong: new traces get its time as their creation time',
      ),
  })
  const rounds = [
    startRounds(LOOK_EVERY_MS, logger, async () => clockWatch.look()),
    startRounds(RENEW_EVERY_MS, logger, () => media.renewLeases()),
  ]
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}
