import { MONITOR_MEASURES } from '@spoor/contract/aggregations'
import { oneOf, rangeSearchOf, text } from '../lib/search.ts'

export const MONITOR_SHOWN = ['fired', 'no_data', 'normal', 'disabled'] as const

/** URL parameters of the monitor list and of one monitor. */
export type MonitorSearch = ReturnType<typeof monitorSearch>

export const monitorSearch = rangeSearchOf({
  /** Opens the form of a new monitor, for this metric or measure of traces if given. */
  create: oneOf([true] as const),
  metric: text,
  measure: oneOf(MONITOR_MEASURES),
  /** Filter by state. */
  state: oneOf(MONITOR_SHOWN),
  /** Text that monitor names contain. */
  q: text,
})
