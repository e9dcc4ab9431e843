import { integer } from '../engine/literal.ts'

/** Rows that belong to exactly the windows `[first, last]`. */
export interface Segment {
  readonly first: number
  readonly last: number
}

export interface SlidingTimes {
  readonly firstAt: number
  readonly stepMs: number
  readonly count: number
  readonly windowMs: number
}

/**
 * For each window, where its segments begin and end. Segments MUST be in order of time, so that both indexes only grow.
 */
export function* slidingWindows<S extends Segment>(
  segments: readonly S[],
  count: number,
): Generator<{ readonly from: number; readonly until: number }> {
  let from = 0
  let until = 0
  for (let window = 0; window < count; window++) {
    while (until < segments.length && (segments[until] as S).first <= window) until++
    while (from < until && (segments[from] as S).last < window) from++
    yield { from, until }
  }
}

/**
 * Two expressions for the windows of a row: window `i` is `(firstAt + i step - window, firstAt + i step]`. Rows MUST
 * lie within the span of all windows. For a row in a gap between two windows, `first` is greater than `last`.
 */
export function segmentExpressions(
  time: string,
  { firstAt, stepMs, count, windowMs }: SlidingTimes,
): { readonly first: string; readonly last: string } {
  const since = `(toUnixTimestamp64Milli(${time}) - ${integer(firstAt - windowMs)})`
  return {
    first: `if(${since} <= ${windowMs}, 0, intDiv(${since} - ${windowMs} + ${stepMs - 1}, toInt64(${stepMs})))`,
    last: `least(intDiv(${since} + ${stepMs - 1}, toInt64(${stepMs})) - 1, ${count - 1})`,
  }
}
