import type { ManualTimers } from '../lib/time/manual-timers.test-support.ts'

/** For tests: lets time pass, from one thing that is waited for to the next, until there is an answer. What is due later than `longestMs` is not waited for: the network brings something before. */
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
