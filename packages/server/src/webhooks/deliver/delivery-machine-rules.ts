import { BREAKER_RULES, type BreakerRules } from './breaker.ts'

/** Bounds of the machine: what it holds in memory is at most `mostBytes` of bodies, and `mostInFlight` requests. */
export interface DeliveryMachineRules {
  /** Requests under way, of all subscriptions and of one. More than all subscriptions of a project may have together, so that none fills it alone. */
  readonly mostInFlight: number
  readonly mostInFlightOfLane: number
  /** Subscriptions with work at the same time; others wait their turn. */
  readonly mostLanes: number
  /** Taken at once for one subscription, at most: less while much is under way. */
  readonly leaseLimit: number
  readonly leaseBytes: number
  readonly mostBytes: number
  /** As events are made. */
  readonly largestBody: number
  /** Longer than two attempts one behind the other, with room for the store to be slow. */
  readonly leaseMs: number
  /** How long results wait for others to share a transaction with, and how many do at most. */
  readonly finishWithinMs: number
  readonly finishAtOnce: number
  /** Begun at once, before anything else on this thread has its turn. */
  readonly sendsPerTurn: number
  /** How often subscriptions at rest are looked at while they have due deliveries. */
  readonly scanMs: number
  readonly scanLimit: number
  /** How often deliveries are given up for their age, and how many at once. */
  readonly expireMs: number
  readonly expireLimit: number
  /** How long a disabled subscription is left alone unless somebody wakes it, and one that cannot be read. */
  readonly disabledRestMs: number
  readonly brokenRestMs: number
  readonly breaker: BreakerRules
}

export const DELIVERY_MACHINE_RULES: DeliveryMachineRules = {
  mostInFlight: 2048,
  mostInFlightOfLane: 16,
  mostLanes: 2048,
  leaseLimit: 32,
  leaseBytes: 512 * 1024,
  mostBytes: 32 * 1024 * 1024,
  largestBody: 20 * 1024,
  leaseMs: 60_000,
  finishWithinMs: 5,
  finishAtOnce: 64,
  sendsPerTurn: 32,
  scanMs: 1000,
  scanLimit: 256,
  expireMs: 10_000,
  expireLimit: 500,
  disabledRestMs: 30_000,
  brokenRestMs: 5000,
  breaker: BREAKER_RULES,
}
