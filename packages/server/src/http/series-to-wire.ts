import type { MetricAggregates } from '../metrics/metric-series.ts'
import type { MetricSeries } from '../metrics/read-metric-series.ts'
import type { TraceAggregates, TraceSeries, TraceSeriesMeasure } from '../traces/trace-series.ts'
import { toWireTime } from './to-wire.ts'

type SpanOfSeries = Pick<MetricSeries, 'span' | 'buckets' | 'groupsLeftOut'>

export function toMetricSeries(name: string, series: MetricSeries) {
  return { name, ...toSpan(series), points: series.points.map((point) => toPoint(point, metricMembers)) }
}

export function toTraceSeries(measure: TraceSeriesMeasure, series: TraceSeries) {
  return {
    measure,
    ...toSpan(series),
    unpriced_models: series.unpricedModels,
    points: series.points.map((point) => toPoint(point, traceMembers)),
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

interface Point<Aggregates> {
  readonly at: number
  readonly group: string | null
  readonly count: number
  readonly aggregates: Aggregates
}

function toPoint<Aggregates>(
  { at, group, count, aggregates }: Point<Aggregates>,
  members: (aggregates: Aggregates, count: number) => object,
) {
  return { at: toWireTime(at), group, count, ...members(aggregates, count) }
}

function metricMembers(aggregates: MetricAggregates, count: number): object {
  if (aggregates.kind === 'boolean') return { pass_rate: aggregates.passed / count }
  const { kind: _, ...members } = aggregates
  return members
}

function traceMembers(aggregates: TraceAggregates, count: number): object {
  if (aggregates.measure === 'error_rate') return { error_rate: aggregates.errors / count }
  const { measure: _, ...members } = aggregates
  return members
}
