import type { DeliveryMachineRules } from './delivery-machine-rules.ts'

/** What the machine holds in all. */
export interface MachineLoad {
  readonly inFlight: number
  readonly heldBytes: number
  readonly lanes: number
}

/** What one lane may have: requests under way, and what it may lease at once. */
export interface LaneShare {
  readonly inFlight: number
  readonly leaseLimit: number
  readonly leaseBytes: number
}

/**
 * While half of everything is free each lane may have its most. Above, it gets its part of what is still free, at least one delivery: so many slow receivers take less and less each, and leave room for
 * those that are quick.
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
