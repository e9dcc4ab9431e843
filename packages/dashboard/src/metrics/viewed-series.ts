import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { TraceMeasure } from '../api/series.ts'
import type { MetricSearch } from './search.ts'

/** What a page of a series is of. */
export type ViewedSeries =
  { readonly kind: 'metric'; readonly metric: Metric } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

/** A change of the URL; what is undefined leaves it. */
export type ChangeSearch = (
  change: { readonly [Key in keyof MetricSearch]?: MetricSearch[Key] | undefined },
  replace: boolean,
) => void
