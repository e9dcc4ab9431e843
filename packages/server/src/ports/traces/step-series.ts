import type { STEP_GROUPS, STEP_SERIES_MEASURES } from '@spoor/contract/schemas/series-query'
import type { TimeBuckets, TimeSpan } from '../../lib/time/time-buckets.ts'
import type { Distribution, Series } from '../metrics/series-point.ts'
import type { SummaryQuery } from './trace-summaries.ts'

export type StepSeriesMeasure = (typeof STEP_SERIES_MEASURES)[number]
export type StepGroup = (typeof STEP_GROUPS)[number]

/** The filters of steps hold for the step, all others for its trace. `rates` are needed for costs. */
export interface StepSeriesQuery extends Omit<SummaryQuery, 'by'> {
  readonly measure: StepSeriesMeasure
  /** By the creation of the trace. */
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly groupBy: StepGroup | null
}

/** Over `count` steps: their failed ones, a total (tokens, US dollars), a distribution. */
export interface StepAggregates extends Partial<Distribution<'traces'>> {
  readonly errors?: number
  readonly sum?: number
}

/**
 * The latest version of each step counts; those of deleted traces do not. Everything committed before a call counts.
 * Throws DomainError `validation_failed` when the result would have more than 10,000 points.
 */
export interface StepSeriesStore {
  stepSeries(query: StepSeriesQuery): Promise<Series<StepAggregates>>
}
