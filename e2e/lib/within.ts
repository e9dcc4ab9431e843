import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

/** The result of work that has no limit of its own. Fails with `otherwise` if it is not there in time. */
export async function within<T>(limitMs: number, work: Promise<T>, otherwise: string): Promise<T> {
  const late = Symbol('late')
  const done = await Promise.race([work, delay(limitMs, late, { ref: false })])
  assert.ok(done !== late, `${otherwise} in ${limitMs} ms`)
  return done as T
}
