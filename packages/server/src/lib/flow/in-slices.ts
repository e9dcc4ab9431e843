import { setImmediate as nextTurn } from 'node:timers/promises'

/** The length of a slice, milliseconds: the additional delay that a short request may get. */
const SLICE_MS = 5

export interface Slicing {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Resolves in the next turn of the event loop, after the input that has arrived. */
  readonly nextTurn: () => Promise<void>
}

/**
 * Runs `work` to its end. Where `work` yields and has taken 5 ms, the event loop gets a turn. The result of shorter
 * work is returned directly, without a promise.
 */
export function inSlices<T>(work: Generator<void, T>, slicing: Slicing = SYSTEM): T | Promise<T> {
  const result = oneSlice(work, slicing)
  return result.done === true ? result.value : continueInSlices(work, slicing)
}

/** Runs `work` to its end without yielding to the event loop. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const result = work.next()
    if (result.done === true) return result.value
  }
}

async function continueInSlices<T>(work: Generator<void, T>, slicing: Slicing): Promise<T> {
  for (;;) {
    await slicing.nextTurn()
    const result = oneSlice(work, slicing)
    if (result.done === true) return result.value
  }
}

function oneSlice<T>(work: Generator<void, T>, { now }: Slicing): IteratorResult<void, T> {
  const until = now() + SLICE_MS
  for (;;) {
    const result = work.next()
    if (result.done === true || now() >= until) return result
  }
}

const SYSTEM: Slicing = { now: () => performance.now(), nextTurn: () => nextTurn() }
