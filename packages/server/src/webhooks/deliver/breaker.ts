import { backoffDelayMs } from '../../lib/time/backoff.ts'

/**
 * closed: attempts are sent. open: none is sent until `retryAt`. probing: one attempt tests whether the receiver is
 * back.
 */
type BreakerState = 'closed' | 'open' | 'probing'

/** `last_failure`: the failure that opens the breaker. `late_failure`: of an attempt sent before the breaker opened. */
export type BreakerEvent = 'success' | 'failure' | 'last_failure' | 'late_failure' | 'probe' | 'no_result'

interface Move {
  readonly to: BreakerState
  /** `back_off`: a new back-off begins, longer than the last. */
  readonly run: 'longer' | 'ended' | 'kept' | 'back_off'
}

const KEPT = { run: 'kept' } as const
const MOVES: Readonly<Record<BreakerState, Readonly<Record<BreakerEvent, Move>>>> = {
  closed: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'closed', run: 'longer' },
    last_failure: { to: 'open', run: 'back_off' },
    late_failure: { to: 'closed', run: 'longer' },
    probe: { to: 'closed', ...KEPT },
    no_result: { to: 'closed', ...KEPT },
  },
  open: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'open', ...KEPT },
    last_failure: { to: 'open', ...KEPT },
    late_failure: { to: 'open', ...KEPT },
    probe: { to: 'probing', ...KEPT },
    no_result: { to: 'open', ...KEPT },
  },
  probing: {
    success: { to: 'closed', run: 'ended' },
    failure: { to: 'open', run: 'back_off' },
    last_failure: { to: 'open', run: 'back_off' },
    late_failure: { to: 'probing', ...KEPT },
    probe: { to: 'probing', ...KEPT },
    // The probe was interrupted or taken back: the next is due as before.
    no_result: { to: 'open', ...KEPT },
  },
}

export interface BreakerRules {
  /** Consecutive failures after which a receiver counts as dead. */
  readonly failures: number
  /** Longest wait before the first probe, and before any probe. */
  readonly firstMs: number
  readonly maxMs: number
}

export const BREAKER_RULES: BreakerRules = { failures: 10, firstMs: 1000, maxMs: 60_000 }

/** The complete state. */
export interface Breaker {
  readonly state: BreakerState
  /** Consecutive failures while closed. */
  readonly failures: number
  /** Consecutive back-offs. */
  readonly backOffs: number
  /** When the next probe may be sent, in time of the timers; -Infinity while closed. */
  readonly retryAt: number
}

export const CLOSED: Breaker = { state: 'closed', failures: 0, backOffs: 0, retryAt: -Infinity }

/** The breaker of a receiver after a restart. One that counts as dead is probed at once. */
export function breakerAfter(failuresInARow: number, rules: BreakerRules): Breaker {
  if (failuresInARow < rules.failures) return { ...CLOSED, failures: failuresInARow }
  return { state: 'open', failures: rules.failures, backOffs: 0, retryAt: -Infinity }
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
    case 'back_off': {
      const backOffs = breaker.backOffs + 1
      return { state: to, failures: rules.failures, backOffs, retryAt: now + backoffDelayMs(rules, backOffs, random) }
    }
  }
}
