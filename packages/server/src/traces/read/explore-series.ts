import type { ClusterId, MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'
import {
  isCost,
  METRIC_STATS,
  nameOfField,
  SERIES_MEASURES,
  type SeriesFieldName,
  type SeriesFieldText,
  type SeriesMeasureName,
  type SeriesMeasureText,
  type SeriesOrder,
  type SeriesRows,
  type SeriesStat,
} from '@spoor/contract/series-fields'
import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import type { Clock } from '../../lib/time/clock.ts'
import { spanBefore, type SpanRequest, type TimeSpan, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type {
  BucketedSpan,
  ExploredQuery,
  ExploredSeries,
  ExploredSeriesStore,
  SeriesGroup,
} from '../../ports/traces/explored-series.ts'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import { clusterTraces } from './cluster-members.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'
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

export interface ExploreDependencies extends FilterDependencies {
  readonly store: ExploredSeriesStore
  /** A metric by its name; null when the project has none. */
  readonly metricOf: (projectId: ProjectId, name: string) => Promise<{ id: MetricId; kind: MetricKind } | null>
  /** The clusters of the latest discovery. */
  readonly clustersOf: (projectId: ProjectId) => Promise<readonly ClusterId[]>
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
  for (const field of fields) groupBy.push(await toGroup(dependencies, projectId, field, whole))
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
  const metric = name === null ? null : await metricOf(dependencies, projectId, name, '?measure')
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

async function toGroup(
  dependencies: ExploreDependencies,
  projectId: ProjectId,
  field: SeriesFieldText,
  span: TimeSpan,
): Promise<SeriesGroup> {
  const [key, name] = [nameOfField(field, 'metadata'), nameOfField(field, 'metric')]
  if (key !== null) return { by: 'metadata', key }
  if (name !== null) {
    const { id, kind } = await metricOf(dependencies, projectId, name, '?group_by')
    if (kind !== 'numeric') return { by: 'metric', metricId: id, kind }
    const detail = `The metric ${name} has numbers: use it as the measure.`
    throw invalid({ pointer: '?group_by', code: 'invalid_value', detail })
  }
  if (field !== 'cluster') return { by: field as Exclude<SeriesFieldName, 'cluster'> }
  const { watermark, clustersOf } = dependencies
  const found = { ...dependencies, idLeadMs: () => watermark().idLeadMs }
  const members: (readonly [ClusterId, Awaited<ReturnType<typeof clusterTraces>>])[] = []
  let count = 0
  for (const cluster of await clustersOf(projectId)) {
    members.push([cluster, await clusterTraces(found, projectId, cluster, span)])
    count += members.at(-1)?.[1].length ?? 0
    if (count > SERIES_CLUSTER_TRACES) {
      const detail = `More than ${SERIES_CLUSTER_TRACES} traces of clusters lie in this time: ask for less of it.`
      throw invalid({ pointer: '?group_by', code: 'too_many', detail })
    }
  }
  return { by: 'cluster', members }
}

async function metricOf({ metricOf: find }: ExploreDependencies, projectId: ProjectId, name: string, pointer: string) {
  const metric = await find(projectId, name)
  if (metric !== null) return metric
  throw invalid({ pointer, code: 'invalid_value', detail: `There is no metric ${JSON.stringify(name)}.` })
}
