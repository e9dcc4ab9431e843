import type { DeliveryMachineRules } from './delivery-machine-rules.ts'

export interface MachineLoad {
  readonly inFlight: number
  readonly heldBytes: number
  readonly lanes: number
}

/** The limits of one lane: requests under way, and one lease. */
export interface LaneShare {
  readonly inFlight: number
  readonly leaseLimit: number
  readonly leaseBytes: number
}

/**
 * While half of the capacity is free, each lane has its full limits. Otherwise it gets an equal part of the free
 * capacity, at least one delivery: many slow receivers get less and less each and leave capacity for quick ones.
 */
export function laneShare({ inFlight, heldBytes, lanes }: MachineLoad, rules: DeliveryMachineRules): LaneShare {
  const { mostInFlight, mostInFlightOfLane, mostBytes, leaseLimit } = rules
  const leastBytes = Math.min(rules.largestBody, rules.leaseBytes)
  const bytesOfEach = (mostBytes - heldBytes) / Math.max(1, lanes)
  const leaseBytes = Math.floor(Math.min(Math.max(bytesOfEach, leastBytes), rules.leaseBytes))
  if (inFlight < mostInFlight / 2 && heldBytes < mostBytes / 2) {
    return { inFlight: mostInFlightOfLane, leaseLimit, leaseBytes }
  }
  const requestsOfEach = (mostInFlight - inFlight) / Math.max(1, lanes)
  const part = Math.max(1, Math.floor(Math.min(requestsOfEach, bytesOfEach / leastBytes)))
  return { inFlight: Math.min(part, mostInFlightOfLane), leaseLimit: Math.min(part, leaseLimit), leaseBytes }
}
