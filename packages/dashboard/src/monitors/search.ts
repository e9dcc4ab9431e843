import { readTimeRangeSearch, type TimeRangeSearch } from '../lib/time-range.ts'

export const MONITOR_SHOWN = ['fired', 'no_data', 'normal', 'disabled'] as const

/** URL parameters of the monitor list and of one monitor. */
export interface MonitorSearch extends TimeRangeSearch {
  /** Opens the form of a new monitor, for this metric or measure of traces if given. */
  readonly create?: true
  readonly metric?: string
  readonly measure?: 'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens'
  /** Filter by state. */
  readonly state?: (typeof MONITOR_SHOWN)[number]
  /** Text that monitor names contain. */
  readonly q?: string
}

const MEASURES = ['count', 'error_rate', 'recovered_errors', 'duration_ms', 'total_tokens'] as const

/** Parses the URL of the screen; drops invalid values. */
export function monitorSearch(raw: Record<string, unknown>): MonitorSearch {
  const { create, metric, measure, state, q } = raw
  // The router parses text that looks like a number.
  const text = typeof q === 'number' ? String(q) : q
  const name = typeof metric === 'number' ? String(metric) : metric
  const known = MEASURES.find((each) => each === measure)
  const shown = MONITOR_SHOWN.find((each) => each === state)
  return {
    ...readTimeRangeSearch(raw),
    ...(create === true ? { create } : {}),
    ...(typeof name === 'string' && name !== '' ? { metric: name } : {}),
    ...(known === undefined ? {} : { measure: known }),
    ...(shown === undefined ? {} : { state: shown }),
    ...(typeof text === 'string' && text !== '' ? { q: text } : {}),
  }
}
