import { percentilesOf } from '@spoor/contract/aggregations'
import type { MetricAggregates } from '../ports/metrics/metric-series.ts'
import type { MetricSeries } from '../metrics/read-metric-series.ts'
import type { SeriesPoint } from '../ports/metrics/series-point.ts'
import type { StepAggregates, StepSeriesMeasure } from '../ports/traces/step-series.ts'
import type { TraceAggregates, TraceSeriesMeasure } from '../ports/traces/trace-series.ts'
import type { StepSeries } from '../traces/read/step-series.ts'
import type { TraceSeries } from '../traces/read/trace-series.ts'
import { toWireTime } from './to-wire.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

type SpanOfSeries = Pick<MetricSeries, 'span' | 'buckets' | 'groupsLeftOut'>

export function toMetricSeries(name: string, series: MetricSeries) {
  const points = toPoints(series.points, metricMembers)
  return { name, ...toSpan(series), points }
}

export function toTraceSeries(measure: TraceSeriesMeasure, series: TraceSeries) {
  return {
    measure,
    ...toSpan(series),
    unpriced_models: series.unpricedModels,
    points: toPoints(series.points, traceMembers),
  }
}

export function toStepSeries(measure: StepSeriesMeasure, series: StepSeries) {
  return { measure, ...toSpan(series), points: toPoints(series.points, stepMembers) }
}

function stepMembers({ errors, ...members }: StepAggregates, count: number): object {
  return errors === undefined ? members : { error_rate: errors / count }
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

function traceMembers(aggregates: TraceAggregates, count: number): object {
  if (aggregates.measure === 'error_rate') return { error_rate: aggregates.errors / count }
  const { measure: _, ...members } = aggregates
  return members
}
