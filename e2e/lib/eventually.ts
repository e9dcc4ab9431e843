import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Only a hang takes so long, also on a machine that gives a test a tenth of a core. Less than the time that the runner
 * gives a file, so that the failure says what did not happen.
 */
export const LIMIT_MS = 5 * 60_000

/** Resolves when the condition holds; rejects after LIMIT_MS. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: that did not happen`)
    await sleep(50)
  }
}
