/** Evaluation times are the multiples of the interval since 1970: the same for all monitors, after a restart too. */
export interface DueTimes {
  readonly firstAt: number
  readonly count: number
}

/** Times that were passed over on purpose: those that went by while a round on `from` was at work. */
export interface PassedOver {
  readonly from: number
  readonly through: number
}

/** How many missed evaluations are made up for. */
const MOST_CAUGHT_UP = 1000
/** A clock that steps back less than this is waited for. */
const PATIENCE_MS = 60_000

/** A round comes to the last of a thousand monitors 1.7 s behind its evaluation time, or 5.7 s on a machine that others keep busy. */
const FOR_A_ROUND_MS = 6000

/**
 * How far apart evaluation times are, so that a crossing is in the journal within `toldWithinMs`, whole seconds: one right behind an evaluation time is found at the next, by a round that still has
 * to come to its monitor.
 */
export function evaluationInterval(toldWithinMs: number): number {
  return toldWithinMs - Math.min(FOR_A_ROUND_MS, toldWithinMs / 5)
}

export function evaluationTimeAt(now: number, intervalMs: number): number {
  return Math.floor(now / intervalMs) * intervalMs
}

/**
 * When a monitor that was last evaluated at `last` (before the first evaluation: was made or changed then) is to be evaluated, up to `until`: each time since then that was missed,
 * the newest `MOST_CAUGHT_UP` of them; null when it is not.
 * A `last` that lies far ahead was taken from a clock that has stepped back: the monitor goes on from `until`.
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
