import { stepFilters } from '@spoor/contract/trace-filters'
import type { MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import {
  type AggregateRows,
  eventConditions,
  fromRows,
  type JoinedWithin,
  traceConditions,
} from '../series/aggregate-rows.ts'
import { groupOf, type RowField, sqlField } from '../series/series-groups.ts'
import { stepConditions, withStep } from '../feed/step-conditions.ts'
import { knownRows, numberOf } from '../series/series-measures.ts'
import { text } from '../engine/literal.ts'

/** The cost of a row, billionths of a dollar, negative if it is unknown: see `withCost`. */
export const COST_COLUMN = 'cost_key'

/** The measured number of a row, and the conditions for rows that have one. */
export interface MeasuredNumber {
  /** An SQL expression. */
  readonly number: string
  /** Conditions that a row must meet to count, without times. */
  readonly conditions: readonly string[]
}

export function measuredNumber(
  { source, filters, aggregation }: MeasureQuery,
  { within }: Pick<AggregateRows, 'within'>,
): MeasuredNumber {
  if (source.kind === 'metric') {
    // Events have these themselves.
    const others = { ...filters, runType: null, notRunType: null, model: null, notModel: null, metadata: [] }
    const ofTrace = [...traceConditions(others), ...withStep(filters, within.steps, null)]
    return { number: 'value', conditions: [...eventConditions(filters), ...ofTraces(within, ofTrace)] }
  }
  const number = numberOf(source.measure, COST_COLUMN)
  const known = knownRows(source.measure, COST_COLUMN, aggregation === 'sum')
  if (source.kind === 'steps') {
    const own = stepConditions(stepFilters(filters) ?? {}, null)
    return { number, conditions: [...known, ...own, ...ofTraces(within, traceConditions(filters))] }
  }
  return { number, conditions: [...known, ...traceConditions(filters), ...withStep(filters, within.steps, null)] }
}

function ofTraces({ traces }: JoinedWithin, conditions: readonly string[]): readonly string[] {
  if (conditions.length === 0) return []
  return [`trace_id IN (SELECT id FROM traces FINAL WHERE ${[...traces, ...conditions].join(' AND ')})`]
}

/** The groups of `forEach` as SQL. */
export interface MeasuredGroups {
  /** A text, '' for none; may make several rows from one. */
  readonly expression: string
  /** The text after FROM. */
  readonly from: string
  readonly toLabel: (stored: string) => string | null
}

/** `group`: what `forEach` names. */
export function measuredGroups({ source }: MeasureQuery, rows: AggregateRows, group: RowField): MeasuredGroups {
  const kind = source.kind === 'metric' ? 'events' : source.kind
  const field = sqlField(group, kind, rows.within, 0)
  const from = field.join === null ? fromRows(rows) : `(SELECT * FROM ${fromRows(rows)}) AS kept ${field.join}`
  return { ...groupOf([field]), from }
}

/** The rows counted by `pass_rate` and `share`. */
export function countedRows({ aggregation, option }: MeasureQuery, number: string): string {
  return aggregation === 'share' ? `option = ${text(option ?? '')}` : `${number} = 1`
}

/** For a measure that consists of a count and one more figure. */
export function toAnswer(samples: number, value: number): MeasureResult {
  return { value: samples === 0 ? null : value, samples }
}

/** Restricts an aggregate to rows that meet all conditions. */
export function onlyIf(aggregate: string, conditions: readonly string[]): string {
  if (conditions.length === 0) return aggregate
  const condition = conditions.join(' AND ')
  if (aggregate === 'count()') return `countIf(${condition})`
  // `sum(x)` becomes `sumIf(x, …)`, `quantiles(0.5)(x)` becomes `quantilesIf(0.5)(x, …)`.
  const [, name, rest] = /^(\w+)(\(.*)\)$/.exec(aggregate) ?? []
  return `${name}If${rest}, ${condition})`
}
