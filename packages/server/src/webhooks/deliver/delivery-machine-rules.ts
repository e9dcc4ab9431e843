import { BREAKER_RULES, type BreakerRules } from './breaker.ts'

export interface DeliveryMachineRules {
  /**
   * Requests under way, in total and per subscription. The total exceeds what all subscriptions of one project may
   * have.
   */
  readonly mostInFlight: number
  readonly mostInFlightOfLane: number
  /** Active subscriptions; others wait. */
  readonly mostLanes: number
  /** The most that is leased for one subscription at once; less under load. */
  readonly leaseLimit: number
  readonly leaseBytes: number
  /** Bodies in memory. */
  readonly mostBytes: number
  /** At least the size of the largest event body. */
  readonly largestBody: number
  /** Longer than two consecutive attempts and a slow store. */
  readonly leaseMs: number
  /**
   * Deliveries that are leased and unsent for this long are released, and may be leased by another. Less than a lease
   * lasts.
   */
  readonly readyMs: number
  /** How long results wait to share a transaction, and the most that share one. */
  readonly finishWithinMs: number
  readonly finishAtOnce: number
  /** Sends begun before yielding to other work of the thread. */
  readonly sendsPerTurn: number
  /** Interval of scans for subscriptions with due deliveries that are not active. */
  readonly scanMs: number
  readonly scanLimit: number
  /** Interval of scans for what other processes add or leave; null: there are none. */
  readonly pollMs: number | null
  /** Interval at which old deliveries are given up, and the most of one batch. */
  readonly expireMs: number
  readonly expireLimit: number
  /** Back-off of a disabled subscription, unless it is woken, and of one that cannot be read. */
  readonly disabledBackOffMs: number
  readonly brokenBackOffMs: number
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
  readyMs: 30_000,
  finishWithinMs: 5,
  finishAtOnce: 64,
  sendsPerTurn: 32,
  scanMs: 1000,
  scanLimit: 256,
  pollMs: null,
  expireMs: 10_000,
  expireLimit: 500,
  disabledBackOffMs: 30_000,
  brokenBackOffMs: 5000,
  breaker: BREAKER_RULES,
}

/**
 * Of several nodes on one store. A node that was stopped may have lost its leases after 8 s, 3 s of which may have
 * passed since it renewed its own.
 */
export const CLUSTER_DELIVERY_RULES: Partial<DeliveryMachineRules> = { readyMs: 4000, pollMs: 10_000 }
