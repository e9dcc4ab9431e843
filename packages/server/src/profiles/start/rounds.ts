import { systemTimers } from '../../lib/time/timers.ts'
import type { Logger } from '../../operation/logging.ts'

export interface Rounds {
  /** Resolves when the round in progress has ended. */
  stop(): Promise<void>
}

/**
 * Starts a round `everyMs` after the one before has ended, or after as many milliseconds as that one resolved with. A
 * failed round is logged, and the next one tries again.
 */
export function startRounds(everyMs: number, logger: Logger, round: () => Promise<number | void>): Rounds {
  let running: Promise<void> | null = null
  let isStopping = false
  let cancel = () => undefined as void
  const wait = (delayMs: number) => {
    cancel = systemTimers.after(delayMs, () => {
      running = round()
        .catch((error: unknown) => void logger.error({ error }, 'housekeeping failed'))
        .then((nextMs) => (isStopping ? undefined : wait(nextMs ?? everyMs)))
    })
  }
  wait(everyMs)
  return {
    async stop() {
      isStopping = true
      cancel()
      await running
    },
  }
}
