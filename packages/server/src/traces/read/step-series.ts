import { type SpanRequest, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { StepGroup, StepSeriesMeasure, StepSeriesStore } from '../../ports/traces/step-series.ts'
import { type FilterDependencies, type FilteredRequest, lookUpFilters } from './list-summaries.ts'

export interface StepSeriesRequest extends Omit<FilteredRequest, 'startTime' | 'endTime'> {
  readonly measure: StepSeriesMeasure
  readonly times: SpanRequest
  readonly groupBy: StepGroup | null
}

/** The series of a measure over steps. Throws DomainError `validation_failed`, `full_text_disabled`. */
export async function readStepSeries(
  dependencies: FilterDependencies & { readonly store: StepSeriesStore; readonly clock: Clock },
  { measure, times, groupBy, ...request }: StepSeriesRequest,
) {
  const { span, buckets } = toBucketedSpan(times, dependencies.clock.now())
  const found = await lookUpFilters(dependencies, { ...request, ...span }, null)
  if (found === null) return { span, buckets, points: [], groupsLeftOut: 0 }
  const rates = measure === 'cost_usd' ? await dependencies.ratesOf(request.projectId) : found.rates
  const query = { ...found, rates, measure, span, buckets, groupBy }
  return { span, buckets, ...(await dependencies.store.stepSeries(query)) }
}

export type StepSeries = Awaited<ReturnType<typeof readStepSeries>>
