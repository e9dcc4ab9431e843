import { holds } from './monitor-machine.ts'
import type { Comparison } from '../ports/monitors/monitor.ts'

/** The bounds of a quantity. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

export const ANY_NUMBER: Bounds = { low: -Infinity, high: Infinity }
export const NOT_NEGATIVE: Bounds = { low: 0, high: Infinity }
export const A_SHARE: Bounds = { low: 0, high: 1 }

/**
 * Whether the comparison can never hold, or always does: for example a threshold of 90 for a rate that was meant in
 * percent.
 */
export function isDecided(comparison: Comparison, threshold: number, { low, high }: Bounds): 'never' | 'always' | null {
  const [atLow, atHigh] = [holds(comparison, low, threshold), holds(comparison, high, threshold)]
  if (atLow !== atHigh) return null
  return atLow ? 'always' : 'never'
}
