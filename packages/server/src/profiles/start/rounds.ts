import { systemTimers } from '../../lib/time/timers.ts'
import type { Logger } from '../../operation/logging.ts'

export interface Rounds {
  /** Resolves when the round in progress has ended. */
  stop(): Promise<void>
}

/**
 * Starts a round every `everyMs`; a start is skipped while the round before it is in progress. A failed round is
 * logged, and the next one tries again.
 */
export function startRounds(everyMs: number, logger: Logger, round: () => Promise<void>): Rounds {
  let running: Promise<void> | null = null
  const cancel = systemTimers.every(everyMs, () => {
    running ??= round()
      .catch((error: unknown) => logger.error({ error }, 'housekeeping failed'))
      .finally(() => (running = null))
  })
  return {
    async stop() {
      cancel()
      await running
    },
  }
}
