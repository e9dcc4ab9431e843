import type { ScoredBy } from '../../../ports/metrics/scored-by.ts'
import { doubles, text } from '../engine/literal.ts'
import { METRIC_VALUE_PLACE } from './metric-event-row.ts'

/** Conditions on rows of `metric_events`. The value is in `record`, and its type there is that of the metric. */
export function scoreConditions({ metricId, passed, min, max, option }: ScoredBy): string[] {
  const place = `record, ${METRIC_VALUE_PLACE + 1}`
  const number = `JSONExtractFloat(${place})`
  return [
    ...(metricId === null ? [] : [`metric_id = ${text(metricId)}`]),
    ...(passed === null ? [] : [`JSONExtractRaw(${place}) = ${text(String(passed))}`]),
    ...(min === null && max === null ? [] : [`JSONType(${place}) IN ('Int64', 'UInt64', 'Double')`]),
    ...(min === null ? [] : [`${number} >= ${doubles([min])}`]),
    ...(max === null ? [] : [`${number} <= ${doubles([max])}`]),
    ...(option === null ? [] : [`JSONType(${place}) = 'String'`, `JSONExtractString(${place}) = ${text(option)}`]),
  ]
}
