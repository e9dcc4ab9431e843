import type { MetricEventPosition } from './metric-event-store.ts'

/** The order of a list: latest `at` first, then the greatest id. */
export function compareNewest(a: MetricEventPosition, b: MetricEventPosition): number {
  if (a.at !== b.at) return b.at - a.at
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1
}
