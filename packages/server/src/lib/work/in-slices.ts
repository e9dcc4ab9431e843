/** Work of one slice, milliseconds: what a short request may have to wait for on top of its own. */
const SLICE_MS = 5

export interface Slicing {
  /** Milliseconds, rising. */
  readonly now: () => number
  /** Resolves in the next turn of the event loop, after what has arrived meanwhile. */
  readonly nextTurn: () => Promise<void>
}

/**
 * Runs `work` to its end. Whenever it has taken 5 ms, which is looked at where it yields, the event loop turns. What ends before that is
 * returned at once: ordinary work pays for no promise.
 */
export function inSlices<T>(work: Generator<void, T>, slicing: Slicing = SYSTEM): T | Promise<T> {
  const result = oneSlice(work, slicing)
  return result.done === true ? result.value : goOn(work, slicing)
}

/** Runs `work` to its end without a pause. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const result = work.next()
    if (result.done === true) return result.value
  }
}

async function goOn<T>(work: Generator<void, T>, slicing: Slicing): Promise<T> {
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

const SYSTEM: Slicing = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
