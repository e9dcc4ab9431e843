/** Evaluation times are the multiples of the interval since 1970: the same for all monitors, also after a restart. */
export interface DueTimes {
  readonly firstAt: number
  readonly count: number
}

/** Times that were skipped on purpose, because they passed while a round at `from` was running. */
export interface PassedOver {
  readonly from: number
  readonly through: number
}

/** How many missed evaluations are caught up. */
const MOST_CAUGHT_UP = 1000
/** A clock that steps back less than this is waited for. */
const PATIENCE_MS = 60_000

/** A round reaches the last of a thousand monitors 1.7 s after its evaluation time, or 5.7 s on a busy machine. */
const FOR_A_ROUND_MS = 6000

/**
 * The distance of evaluation times, so that a crossing is in the journal within `toldWithinMs`, whole seconds: a
 * crossing right after an evaluation time is found at the next one, by a round that still has to reach its monitor.
 */
export function evaluationInterval(toldWithinMs: number): number {
  return toldWithinMs - Math.min(FOR_A_ROUND_MS, toldWithinMs / 5)
}

export function evaluationTimeAt(now: number, intervalMs: number): number {
  return Math.floor(now / intervalMs) * intervalMs
}

/**
 * When a monitor that was last evaluated at `last` (before its first evaluation: created or changed then) must be
 * evaluated, up to `until`: each missed time since then, the newest `MOST_CAUGHT_UP` of them; null when none is due. A
 * `last` far ahead was taken from a clock that has since stepped back: the monitor continues from `until`.
 */
export function dueTimes(
  last: number,
  until: number,
  intervalMs: number,
  passedOver: PassedOver | null,
): DueTimes | null {
  if (last - until > Math.max(PATIENCE_MS, 2 * intervalMs)) return { firstAt: until, count: 1 }
  const evaluated = passedOver?.from === last ? passedOver.through : last
  const next = evaluationTimeAt(evaluated, intervalMs) + intervalMs
  const missed = Math.round((until - next) / intervalMs) + 1
  if (missed <= 0) return null
  const count = Math.min(missed, MOST_CAUGHT_UP)
  return { firstAt: until - (count - 1) * intervalMs, count }
}
