import { percentilesOf } from '@spoor/contract/aggregations'
import type { MetricAggregates } from '../ports/metrics/metric-series.ts'
import type { MetricSeries } from '../metrics/read-metric-series.ts'
import type { SeriesPoint } from '../ports/metrics/series-point.ts'
import type { ExploredGroup, ExploredValue } from '../ports/traces/explored-series.ts'
import type { Explored } from '../traces/read/explore-series.ts'
import { toWireTime } from './to-wire.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

type SpanOfSeries = Pick<MetricSeries, 'span' | 'buckets' | 'groupsLeftOut'>

export function toMetricSeries(name: string, series: MetricSeries) {
  const points = toPoints(series.points, metricMembers)
  return { name, ...toSpan(series), points }
}

/** Groups are behind points: an export has the rows of the first list. */
export function toExploredSeries(measure: string, series: Explored) {
  const toTime = timeWriter()
  return {
    measure,
    stat: series.stat,
    ...toSpan(series),
    unpriced_models: series.unpricedModels,
    points: series.points.map((point) => {
      const previous = point.previous && { at: toWireTime(point.previousAt as number), ...toValue(point.previous) }
      return {
        at: toTime(point.at),
        ...exploredGroup(point),
        ...exploredMembers(point.now),
        ...(previous && { previous }),
      }
    }),
    groups: series.groups.map((group) => {
      return { ...exploredGroup(group), ...(group.previous && { previous: toValue(group.previous) }) }
    }),
  }
}

function exploredGroup({ values: [group = null, subgroup], other, now }: ExploredGroup) {
  return { group, ...(subgroup === undefined ? {} : { subgroup }), ...(other ? { other } : {}), ...toValue(now) }
}

function toValue({ count, value }: ExploredValue) {
  return { count, value }
}

function exploredMembers({ count, sum, errors, distribution }: ExploredValue) {
  return {
    ...(sum === undefined ? {} : { sum }),
    ...(errors === undefined || count === 0 ? {} : { error_rate: errors / count }),
    ...distribution,
  }
}

function toSpan({ span, buckets, groupsLeftOut }: SpanOfSeries) {
  return {
    start_time: toWireTime(span.startTime),
    end_time: toWireTime(span.endTime),
    bucket: buckets.text,
    groups_left_out: groupsLeftOut,
  }
}

function toPoints<Aggregates>(
  points: readonly SeriesPoint<Aggregates>[],
  members: (aggregates: Aggregates, count: number) => object,
) {
  const toTime = timeWriter()
  return points.map(({ at, group, other, count, aggregates }) =>
    other === true
      ? { at: toTime(at), group, other, count, ...members(aggregates, count) }
      : { at: toTime(at), group, count, ...members(aggregates, count) },
  )
}

/** For consecutive times: whole minutes of one day differ in four digits, which is ten times as fast as a `Date`. */
function timeWriter(): (ms: number) => string {
  let writtenDay = Number.NaN
  let date = ''
  return (ms) => {
    const day = Math.floor(ms / DAY_MS)
    const minutes = (ms - day * DAY_MS) / MINUTE_MS
    const minute = minutes % 60
    if (!Number.isInteger(minutes)) return toWireTime(ms)
    if (day !== writtenDay) date = toWireTime(day * DAY_MS).slice(0, 'YYYY-MM-DDT'.length)
    writtenDay = day
    return `${date}${TWO_DIGITS[(minutes - minute) / 60]}:${TWO_DIGITS[minute]}:00.000Z`
  }
}

const NUMBERS = ['avg', 'min', 'max', ...percentilesOf('metrics')] as const

/**
 * Copies the members by name: removing a member by rest syntax takes several times as long, and a day has 1,440 points.
 */
function metricMembers(aggregates: MetricAggregates, count: number): object {
  if (aggregates.kind === 'boolean') return { pass_rate: aggregates.passed / count }
  if (aggregates.kind === 'enum') return { counts: aggregates.counts }
  const numbers: Partial<Record<(typeof NUMBERS)[number], number>> = {}
  for (const name of NUMBERS) numbers[name] = aggregates[name]
  return numbers
}
