import { AGGREGATION_NAMES, MONITOR_MEASURES } from '@spoor/contract/aggregations'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import { oneOf, rangeSearchOf, text } from '../lib/search.ts'
import { type FeedSearch, feedSearch } from '../traces/filters/search.ts'

export const MONITOR_SHOWN = ['fired', 'no_data', 'normal', 'disabled'] as const

export type MonitorSearch = ReturnType<typeof monitorSearch>

export const monitorSearch = rangeSearchOf({
  /** Opens the form of a new monitor, with what else is given: a metric, or a measure of these traces or steps. */
  create: oneOf([true] as const),
  steps: oneOf([true] as const),
  filters: (value): FeedSearch | undefined =>
    typeof value === 'object' && value !== null ? feedSearch({ ...value }) : undefined,
  metric: text,
  measure: oneOf(MONITOR_MEASURES),
  aggregation: oneOf(AGGREGATION_NAMES),
  for_each: text,
  /** Filter by state. */
  state: oneOf(MONITOR_SHOWN),
  /** Text that monitor names contain. */
  q: text,
})

/** The state shown in lists. A normal monitor whose last window had no data is shown as such. */
export type ShownState = (typeof MONITOR_SHOWN)[number]

export function shownState({
  enabled,
  state,
  last_value,
  last_samples,
  last_evaluated_at,
  for_each,
}: Monitor): ShownState {
  if (!enabled) return 'disabled'
  if (state === 'fired') return 'fired'
  const isWithoutData = for_each === null ? last_value === null : last_samples === 0
  return last_evaluated_at !== null && isWithoutData ? 'no_data' : 'normal'
}
