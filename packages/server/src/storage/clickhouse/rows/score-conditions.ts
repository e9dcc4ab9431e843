import type { MetricEventId } from '@spoor/contract/ids'
import type { ScoredBy } from '../../../ports/metrics/scored-by.ts'
import { doubles, instant, text, texts } from '../engine/literal.ts'
import { METRIC_VALUE_PLACE } from './metric-event-row.ts'

const NONE: ReadonlySet<MetricEventId> = new Set()

/** A condition on rows of `metric_events` or `metric_points` that leaves out these events; none without any. */
export function notRemoved(removed: ReadonlySet<MetricEventId>): string[] {
  return removed.size === 0 ? [] : [`id NOT IN (${texts([...removed])})`]
}

/** Conditions on rows of `metric_events`. The value is in `record`, and its type there is that of the metric. */
export function scoreConditions(by: ScoredBy): string[] {
  const { metricId, passed, min, max, option, startTime, endTime, without } = by
  const place = `record, ${METRIC_VALUE_PLACE + 1}`
  const number = `JSONExtractFloat(${place})`
  return [
    ...(metricId === null ? [] : [`metric_id = ${text(metricId)}`]),
    ...(startTime === null ? [] : [`at >= ${instant(startTime)}`]),
    ...(endTime === null ? [] : [`at < ${instant(endTime)}`]),
    ...(passed === null ? [] : [`JSONExtractRaw(${place}) = ${text(String(passed))}`]),
    ...(min === null && max === null ? [] : [`JSONType(${place}) IN ('Int64', 'UInt64', 'Double')`]),
    ...(min === null ? [] : [`${number} >= ${doubles([min])}`]),
    ...(max === null ? [] : [`${number} <= ${doubles([max])}`]),
    ...(option === null ? [] : [`JSONType(${place}) = 'String'`, `JSONExtractString(${place}) = ${text(option)}`]),
    ...notRemoved(without ?? NONE),
  ]
}
