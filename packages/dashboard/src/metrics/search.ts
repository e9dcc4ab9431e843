import { bucketMsOf } from '../lib/series-data.ts'
import { readTimeRangeSearch, type TimeRangeSearch } from '../lib/time-range.ts'

/** What the URL says about the list of metrics and about one of them. */
export interface MetricSearch extends TimeRangeSearch {
  /** The name is not that of a metric but of a measure of traces. */
  readonly of?: 'traces'
  /** What of the series is shown. */
  readonly stat?: string
  /** Of an enum metric: whose share. */
  readonly option?: string
  readonly group_by?: string
  readonly bucket?: string
  /** Keys of the groups that are drawn, when they are not the largest. */
  readonly show?: readonly string[]
  readonly source?: 'human' | 'code' | 'llm'
  /** The bucket whose rows are listed: when it begins. */
  readonly at?: string
  /** The key of the group that was clicked with it. */
  readonly group?: string
  /** What the listed events said. */
  readonly value?: string
  /** Metrics whose name has this. */
  readonly q?: string
}

const TEXTS = ['stat', 'option', 'group_by', 'group', 'value', 'q'] as const

/** What the URL says about the screen; what it cannot mean is left out. */
export function metricSearch(raw: Record<string, unknown>): MetricSearch {
  const texts = TEXTS.flatMap((name) => {
    const value = raw[name]
    // Values that look like numbers are read as such from the URL.
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  const { of, bucket, show, source, at } = raw
  return {
    ...readTimeRangeSearch(raw),
    ...Object.fromEntries(texts),
    ...(of === 'traces' ? { of } : {}),
    ...(typeof bucket === 'string' && bucketMsOf(bucket) > 0 ? { bucket } : {}),
    ...(Array.isArray(show) && show.every((key) => typeof key === 'string') ? { show } : {}),
    ...(source === 'human' || source === 'code' || source === 'llm' ? { source } : {}),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? { at } : {}),
  }
}
