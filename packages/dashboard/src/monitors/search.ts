import { readTimeRangeSearch, type TimeRangeSearch } from '../lib/time-range.ts'

export const MONITOR_SHOWN = ['fired', 'no_data', 'normal', 'disabled'] as const

/** What the URL says about the list of monitors and about one of them. */
export interface MonitorSearch extends TimeRangeSearch {
  /** The form of a new one is open, about this metric or measure of traces if one is named. */
  readonly create?: true
  readonly metric?: string
  readonly measure?: 'count' | 'error_rate' | 'duration_ms' | 'total_tokens'
  /** Those in this state alone. */
  readonly state?: (typeof MONITOR_SHOWN)[number]
  /** Those whose name has this. */
  readonly q?: string
}

const MEASURES = ['count', 'error_rate', 'duration_ms', 'total_tokens'] as const

/** What the URL says about the screen; what it cannot mean is left out. */
export function monitorSearch(raw: Record<string, unknown>): MonitorSearch {
  const { create, metric, measure, state, q } = raw
  // A text that looks like a number is read as one from the URL.
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
