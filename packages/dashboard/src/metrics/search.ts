import { bucketMsOf } from '../lib/series-data.ts'
import { readTimeRangeSearch, type TimeRangeSearch } from '../lib/time-range.ts'

/** URL parameters of the metric list and of one metric. */
export interface MetricSearch extends TimeRangeSearch {
  /** The name is a measure of traces instead of a metric. */
  readonly of?: 'traces'
  /** The shown statistic. */
  readonly stat?: string
  /** The option of an enum metric whose share is shown. */
  readonly option?: string
  readonly group_by?: string
  readonly bucket?: string
  /** Keys of the drawn groups, if not the largest. */
  readonly show?: readonly string[]
  readonly source?: 'human' | 'code' | 'llm'
  /** The start of the chosen bucket. */
  readonly at?: string
  /** The key of the group of the clicked point. */
  readonly group?: string
  /** The value filter of the listed events. */
  readonly value?: string
  /** Text that metric names contain. */
  readonly q?: string
}

const TEXTS = ['stat', 'option', 'group_by', 'group', 'value', 'q'] as const

/** Parses the URL of the screen; drops invalid values. */
export function metricSearch(raw: Record<string, unknown>): MetricSearch {
  const texts = TEXTS.flatMap((name) => {
    const value = raw[name]
    // The router parses values that look like numbers or booleans.
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
