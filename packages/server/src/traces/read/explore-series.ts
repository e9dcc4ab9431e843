import type { ProjectId } from '@spoor/contract/ids'
import {
  isCost,
  METRIC_STATS,
  nameOfField,
  SERIES_MEASURES,
  type SeriesFieldText,
  type SeriesMeasureName,
  type SeriesMeasureText,
  type SeriesOrder,
  type SeriesRows,
  type SeriesStat,
} from '@spoor/contract/series-fields'
import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import type { Clock } from '../../lib/time/clock.ts'
import { spanBefore, type SpanRequest, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type {
  BucketedSpan,
  ExploredQuery,
  ExploredSeries,
  ExploredSeriesStore,
  SeriesGroup,
} from '../../ports/traces/explored-series.ts'
import { lookUpFilters } from './list-summaries.ts'
import { type GroupDependencies, lookUpGroup, lookUpMetric } from './look-up-group.ts'
import type { FilteredRequest } from '../use-cases.ts'

export interface ExploreRequest extends Omit<FilteredRequest, 'startTime' | 'endTime'> {
  readonly rows: SeriesRows
  readonly measure: SeriesMeasureText
  /** Null: the default of the measure. */
  readonly stat: SeriesStat | null
  readonly groupBy: readonly SeriesFieldText[]
  readonly order: SeriesOrder | null
  readonly limit: number | null
  readonly comparesPrevious: boolean
  readonly times: SpanRequest
}

export interface ExploreDependencies extends GroupDependencies {
  readonly store: ExploredSeriesStore
  readonly clock: Clock
}

export interface Explored extends ExploredSeries, BucketedSpan {
  readonly stat: SeriesStat
}

/** A series of any measure by any fields. Throws DomainError `validation_failed`, `full_text_disabled`. */
export async function exploreSeries(dependencies: ExploreDependencies, request: ExploreRequest): Promise<Explored> {
  const { times, comparesPrevious, rows, measure: measureText, stat: askedStat, groupBy: fields, ...rest } = request
  const { order, limit: most, ...filtered } = rest
  const { projectId } = filtered
  if (order === 'change' && !comparesPrevious) {
    throw invalid({ pointer: '?order', code: 'invalid_value', detail: 'An order by change needs compare=previous.' })
  }
  if (new Set(fields).size < fields.length) {
    throw invalid({ pointer: '?group_by', code: 'invalid_value', detail: 'The two fields must differ.' })
  }
  const { span, buckets } = toBucketedSpan(times, dependencies.clock.now())
  const previous = comparesPrevious ? spanBefore(span, buckets) : null
  const whole = previous === null ? span : { ...span, startTime: previous.span.startTime }
  const { measure, stat } = await toMeasure(dependencies, projectId, rows, measureText, askedStat)
  const groupBy: SeriesGroup[] = []
  for (const field of fields) groupBy.push(await lookUpGroup(dependencies, projectId, field, whole))
  const found = await lookUpFilters(dependencies, { ...filtered, ...whole }, null)
  if (found === null) return { span, buckets, stat, points: [], groups: [], groupsLeftOut: 0, unpricedModels: [] }
  const rates = isCost(measure) ? await dependencies.ratesOf(projectId) : found.rates
  const limit = Math.min(most ?? SERIES_GROUPS_MAX, SERIES_GROUPS_MAX)
  const query = {
    ...found,
    rates,
    rows,
    measure,
    stat,
    groupBy,
    order: order ?? 'value',
    limit,
    span,
    buckets,
    previous,
  }
  return { span, buckets, stat, ...(await dependencies.store.exploredSeries(query)) }
}

/** Throws for an unknown metric, and for a statistic that the measure does not have. */
async function toMeasure(
  dependencies: ExploreDependencies,
  projectId: ProjectId,
  rows: SeriesRows,
  text: SeriesMeasureText,
  stat: SeriesStat | null,
): Promise<Pick<ExploredQuery, 'measure' | 'stat'>> {
  const name = nameOfField(text, 'metric')
  const metric = name === null ? null : await lookUpMetric(dependencies, projectId, name, '?measure')
  const own = SERIES_MEASURES[text as SeriesMeasureName]
  const stats: readonly SeriesStat[] = metric === null ? own.stats : METRIC_STATS[metric.kind]
  if (metric !== null && stats[0] === undefined) {
    const detail = `The metric ${name} has options and no numbers: use it in group_by.`
    throw invalid({ pointer: '?measure', code: 'invalid_value', detail })
  }
  if (stat !== null && !stats.includes(stat)) {
    const detail = `It must be one of ${[...new Set(stats)].join(', ')} for ${text} of ${rows}.`
    throw invalid({ pointer: '?stat', code: 'invalid_value', detail })
  }
  const measure = metric === null ? (text as SeriesMeasureName) : { metricId: metric.id }
  return { measure, stat: stat ?? (stats[0] as SeriesStat) }
}
