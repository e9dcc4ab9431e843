import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the condition holds; fails after a minute, or as many as given. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  minutes = 1,
): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 600 * minutes) throw new Error(`${what}: that did not happen`)
    await sleep(100)
  }
}
