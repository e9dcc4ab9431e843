import type { ManualTimers } from '../lib/time/manual-timers.test-support.ts'

/**
 * For tests: advances time, from one timer to the next, until there is an answer. Timers later than `longestMs` are not
 * advanced to: the network delivers something before.
 */
export async function passTime<T>(timers: ManualTimers, asked: Promise<T>, longestMs = Infinity): Promise<T> {
  const state = { isSettled: false }
  const settle = () => (state.isSettled = true)
  asked.then(settle, settle)
  while (!state.isSettled) {
    await new Promise((go) => setImmediate(go))
    const waitMs = (timers.nextAt ?? Infinity) - timers.now()
    if (waitMs <= longestMs && waitMs < Infinity) timers.advance(waitMs)
  }
  return asked
}
