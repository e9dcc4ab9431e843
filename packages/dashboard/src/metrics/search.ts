import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { chartSearch, type ChartSearch } from '../lib/chart-search.ts'
import { METRIC_SOURCES } from '../lib/metric-sources.ts'
import { oneOf, rangeSearchOf, text } from '../lib/search.ts'
import type { Filters } from '../api/client/feed.ts'
import type { Measure } from '../explore/measures.ts'

const ownSearch = rangeSearchOf({
  source: oneOf(METRIC_SOURCES),
  /** The value filter of the listed events. */
  value: text,
  /** Text that metric names contain. */
  q: text,
})

export const metricSearch = (raw: Record<string, unknown>) => ({ ...ownSearch(raw), ...chartSearch(raw) })
export type MetricSearch = ReturnType<typeof metricSearch>

export type ViewedSeries =
  | { readonly kind: 'metric'; readonly metric: Metric; readonly source: MetricSearch['source'] }
  | { readonly kind: 'rows'; readonly measure: Measure; readonly of: Filters }

/** Changes URL parameters; undefined removes one. */
export type ChangeSearch<Of = MetricSearch> = (
  change: { readonly [Key in keyof Of]?: Of[Key] | undefined },
  replace: boolean,
) => void

export type ChangeChart = ChangeSearch<
  ChartSearch & { readonly from?: string; readonly to?: string; readonly range?: undefined }
>
