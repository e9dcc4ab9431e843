import type { ChartSearch } from '../lib/chart-search.ts'
import { rangeSearchOf, text } from '../lib/search.ts'

export const metricSearch = rangeSearchOf({
  /** Text that metric names contain. */
  q: text,
})
export type MetricSearch = ReturnType<typeof metricSearch>

/** Changes URL parameters; undefined removes one. */
type ChangeSearch<Of> = (change: { readonly [Key in keyof Of]?: Of[Key] | undefined }, replace: boolean) => void

export type ChangeChart = ChangeSearch<
  ChartSearch & { readonly from?: string; readonly to?: string; readonly range?: undefined }
>
