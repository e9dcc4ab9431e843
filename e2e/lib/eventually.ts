import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Only a hang takes so long, also on a machine that gives a test a tenth of a core. Less than the time that the runner
 * gives a file, so that the failure says what did not happen.
 */
export const LIMIT_MS = 5 * 60_000

const SHORTEST_PAUSE_MS = 50
/** Of the time that has passed: some conditions read a whole store, and a long wait would read it a thousand times. */
const PAUSE_SHARE = 0.05

/** Resolves when the condition holds; rejects after LIMIT_MS. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await condition())) {
    const passedMs = performance.now() - began
    if (passedMs > LIMIT_MS) throw new Error(`${what}: that did not happen`)
    await sleep(Math.max(SHORTEST_PAUSE_MS, passedMs * PAUSE_SHARE))
  }
}
