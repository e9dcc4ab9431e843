import type { MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import { type AggregateRows, fromRows, settingsOf } from './aggregate-rows.ts'
import { integer } from '../engine/literal.ts'
import { measuredNumber } from '../measures/measure-expressions.ts'
import { segmentExpressions, type SlidingTimes } from '../measures/sliding-windows.ts'

const BY_SEGMENT = 'GROUP BY first_window, last_window ORDER BY first_window, last_window'

/** Segments in order of time. Columns: the first window, the last window, then the aggregates. */
export function segmentsQuery(
  rows: AggregateRows,
  question: MeasureQuery,
  times: SlidingTimes,
  aggregates: readonly string[],
): string {
  return `${selectRows(rows, question, times, aggregates)} ${BY_SEGMENT}${settingsOf(rows)}`
}

/**
 * The same, but for each segment the distinct values of an expression and, in the same order, how many rows have each.
 * At most `limit` values in all, in no order.
 */
export function valuesBySegmentQuery(
  rows: AggregateRows,
  question: MeasureQuery,
  times: SlidingTimes,
  value: string,
  limit: number,
): string {
  const different =
    `${selectRows(rows, question, times, [`${value} AS v`, 'count() AS n'])} ` +
    `GROUP BY first_window, last_window, v LIMIT ${integer(limit)}`
  return (
    `SELECT first_window, last_window, groupArray(v), groupArray(n) FROM (${different}) ` +
    `${BY_SEGMENT}${settingsOf(rows)}`
  )
}

function selectRows(
  rows: AggregateRows,
  question: MeasureQuery,
  times: SlidingTimes,
  columns: readonly string[],
): string {
  const { first, last } = segmentExpressions(rows.time, times)
  const conditions = [...rows.conditions, ...measuredNumber(question, rows).conditions, 'first_window <= last_window']
  const from = fromRows({ ...rows, conditions })
  return `SELECT ${first} AS first_window, ${last} AS last_window, ${columns.join(', ')} FROM ${from}`
}
