import { backoffDelayMs } from '../../lib/time/backoff.ts'

/**
 * closed: attempts go out freely. open: none does until `retryAt`. probing: one attempt is under way to see whether the receiver is back.
 */
type BreakerState = 'closed' | 'open' | 'probing'

/** `last_failure` is the failure that makes the run complete. `late_failure` is one of an attempt that went out before the breaker opened. */
export type BreakerEvent = 'success' | 'failure' | 'last_failure' | 'late_failure' | 'probe' | 'no_verdict'

interface Move {
  readonly to: BreakerState
  /** `rest`: a new time of rest begins, longer than the one before. */
  readonly run: 'longer' | 'ended' | 'kept' | 'rest'
}

const KEPT = { run: 'kept' } as const
const MOVES: Readonly<Record<BreakerState, Readonly<Record<BreakerEvent, Move>>>> = {
  closed: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'closed', run: 'longer' },
    last_failure: { to: 'open', run: 'rest' },
    late_failure: { to: 'closed', run: 'longer' },
    probe: { to: 'closed', ...KEPT },
    no_verdict: { to: 'closed', ...KEPT },
  },
  open: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'open', ...KEPT },
    last_failure: { to: 'open', ...KEPT },
    late_failure: { to: 'open', ...KEPT },
    probe: { to: 'probing', ...KEPT },
    no_verdict: { to: 'open', ...KEPT },
  },
  probing: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'open', run: 'rest' },
    last_failure: { to: 'open', run: 'rest' },
    late_failure: { to: 'probing', ...KEPT },
    probe: { to: 'probing', ...KEPT },
    // Interrupted, or taken back: the next one is due as before.
    no_verdict: { to: 'open', ...KEPT },
  },
}

export interface BreakerRules {
  /** Failures in a row after which a receiver counts as dead. */
  readonly failures: number
  /** Longest wait before the first probe, and before any. */
  readonly firstMs: number
  readonly maxMs: number
}

export const BREAKER_RULES: BreakerRules = { failures: 10, firstMs: 1000, maxMs: 60_000 }

/** All that the next move depends on. */
export interface Breaker {
  readonly state: BreakerState
  /** Failures in a row while closed. */
  readonly failures: number
  /** Times of rest in a row. */
  readonly rests: number
  /** When the next probe may go out, by a clock that does not jump; -Infinity while closed. */
  readonly retryAt: number
}

export const CLOSED: Breaker = { state: 'closed', failures: 0, rests: 0, retryAt: -Infinity }

/** Of a receiver about which only this is known: one that counts as dead is probed at once. */
export function breakerAfter(failuresInARow: number, rules: BreakerRules): Breaker {
  if (failuresInARow < rules.failures) return { ...CLOSED, failures: failuresInARow }
  return { state: 'open', failures: rules.failures, rests: 0, retryAt: -Infinity }
}

/** @param random in [0, 1) */
export function moveBreaker(
  breaker: Breaker,
  event: Exclude<BreakerEvent, 'last_failure'>,
  { rules, now, random }: { readonly rules: BreakerRules; readonly now: number; readonly random: number },
): Breaker {
  const isFailure = event === 'failure' || event === 'late_failure'
  const isLast = breaker.state === 'closed' && isFailure && breaker.failures + 1 >= rules.failures
  const { to, run } = MOVES[breaker.state][isLast ? 'last_failure' : event]
  switch (run) {
    case 'ended':
      return CLOSED
    case 'kept':
      return { ...breaker, state: to }
    case 'longer':
      return { ...breaker, state: to, failures: breaker.failures + 1 }
    case 'rest': {
      const rests = breaker.rests + 1
      return { state: to, failures: rules.failures, rests, retryAt: now + backoffDelayMs(rules, rests, random) }
    }
  }
}
