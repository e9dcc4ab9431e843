import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the condition holds; fails after a minute. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 600) throw new Error(`${what}: that did not happen`)
    await sleep(100)
  }
}
