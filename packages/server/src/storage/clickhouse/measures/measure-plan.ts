import { isPercentile, PERCENTILE_NAMES } from '@spoor/contract/aggregations'
import type { ProjectId } from '@spoor/contract/ids'
import { SERIES_FIELDS, type SeriesFieldName, type SeriesRows } from '@spoor/contract/series-fields'
import { dependOnMoreThanRows, stepFilters } from '@spoor/contract/trace-filters'
import type { MeasureQuery, MeasureResult, WindowQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import { type AggregateRows, metricRows, stepRows, traceRows } from '../series/aggregate-rows.ts'
import { instant } from '../engine/literal.ts'
import { NO_SUMS, sumExpression, type Sums, sumsFor, toResult } from './aggregate-sums.ts'
import { measuredNumber, onlyIf, toAnswer } from './measure-expressions.ts'
import { costMeasure } from './priced-rows.ts'
import { quantiles } from '../series/numeric-aggregates.ts'

/** Maximum number of measures in one statement: beyond it, the engine needs longer for one statement than for two. */
const MOST_TOGETHER = 32
/** Total bytes of their conditions. The engine accepts 256 KiB of SQL; the names of deleted traces may take half. */
const MOST_CONDITION_BYTES = 96 * 1024
/** An average has the most columns: count, sum, minimum and maximum, each with all conditions. */
const MOST_COLUMNS = 4
/** A scan combines windows whose lengths differ by at most this factor. */
const WINDOW_RATIO = 4

/** Measures over the same rows, answered by one scan. */
export interface MeasureScan {
  readonly questions: readonly WindowQuery[]
  /** Their positions in the list of all measures. */
  readonly positions: readonly number[]
}

/**
 * Groups measures by what they read and puts short windows first, so that no scan reaches much further back than most
 * of its measures need.
 */
export function planScans(questions: readonly WindowQuery[]): readonly MeasureScan[] {
  const indexed = questions.map((question, position) => ({ question, position }))
  const scans: MeasureScan[] = []
  for (const alike of Map.groupBy(indexed, ({ question }) => scanKey(question)).values()) {
    const byStart = alike.toSorted((a, b) => b.question.from - a.question.from)
    const until = Math.max(...alike.map(({ question }) => question.until))
    let together: typeof byStart = []
    let bytes = 0
    for (const next of byStart) {
      const shortest = until - (together[0] ?? next).question.from
      const tooLong = until - next.question.from > WINDOW_RATIO * shortest
      const more = conditionBytes(next.question)
      const tooMany = together.length === MOST_TOGETHER || bytes + more > MOST_CONDITION_BYTES
      if (together.length > 0 && (tooLong || tooMany)) {
        scans.push(toScan(together))
        together = []
        bytes = 0
      }
      together.push(next)
      bytes += more
    }
    if (together.length > 0) scans.push(toScan(together))
  }
  return scans
}

/** Filters by more than rows, and those of groups, are conditions on all rows of a scan, whose rows have one cost. */
function scanKey(question: WindowQuery): string {
  const { source, forEach, filters } = question
  const ofGroups = groupsBySteps(question) ? stepFilters(filters) : null
  const shared = JSON.stringify(dependOnMoreThanRows(filters) ? filters : ofGroups)
  return `${source.kind === 'metric' ? source.metricId : source.kind} ${forEach} ${costMeasure(question)} ${shared}`
}

/** Whether traces are in groups of a field that only steps have. */
export function groupsBySteps({ source, forEach }: MeasureQuery): boolean {
  const field = forEach === null ? undefined : SERIES_FIELDS[forEach as SeriesFieldName]
  return source.kind === 'traces' && field !== undefined && !(field.of as readonly SeriesRows[]).includes('traces')
}

function conditionBytes(question: WindowQuery): number {
  const { conditions } = measuredNumber(question, { within: { traces: [], steps: [], events: [] } })
  return MOST_COLUMNS * conditions.reduce((bytes, condition) => bytes + Buffer.byteLength(condition), 0)
}

function toScan(indexed: readonly { readonly question: WindowQuery; readonly position: number }[]): MeasureScan {
  return { questions: indexed.map(({ question }) => question), positions: indexed.map(({ position }) => position) }
}

/** The time that the windows of a scan cover together. */
export function spanOf(questions: readonly WindowQuery[]): TimeSpan {
  const from = Math.min(...questions.map((question) => question.from))
  const until = Math.max(...questions.map((question) => question.until))
  return { startTime: from + 1, endTime: until + 1 }
}

/** The columns of a scan over the rows of its span, and a function that reads a row of it. */
export function scanColumns(
  questions: readonly WindowQuery[],
  rows: AggregateRows,
): { readonly columns: readonly string[]; readonly read: ReadRow } {
  const { startTime, endTime } = spanOf(questions)
  const [from, until] = [startTime - 1, endTime - 1]
  const columns = new Columns()
  const reads = questions.map((question) => {
    const times = [
      ...(question.from === from ? [] : [`${rows.time} > ${instant(question.from)}`]),
      ...(question.until === until ? [] : [`${rows.time} <= ${instant(question.until)}`]),
    ]
    return answerColumns(question, rows, times, columns)
  })
  return { columns: columns.expressions, read: (row) => reads.map((read) => read(row)) }
}

/** `deleted` as in `metricRows`, `idLeadMs` as in `traceRows`. */
export interface RowsWithin {
  readonly deleted: string | null
  readonly idLeadMs: number
}

/** The rows that a query measures. */
export function rowsOf(
  { source }: MeasureQuery,
  projectId: ProjectId,
  spans: readonly TimeSpan[],
  { deleted, idLeadMs }: RowsWithin,
): AggregateRows {
  switch (source.kind) {
    case 'metric':
      return metricRows({ projectId, metricId: source.metricId }, spans, deleted)
    case 'traces':
      return traceRows(projectId, spans, idLeadMs)
    case 'steps':
      return stepRows(projectId, spans, idLeadMs, deleted)
  }
}

type ReadRow = (row: readonly unknown[]) => readonly MeasureResult[]

/** Distinct expressions of one statement: measures of the same rows share them. */
export class Columns {
  readonly #positions = new Map<string, number>()

  /** Returns the index of its column in the result. */
  add(expression: string): number {
    const known = this.#positions.get(expression)
    if (known !== undefined) return known
    this.#positions.set(expression, this.#positions.size)
    return this.#positions.size - 1
  }

  get expressions(): readonly string[] {
    return [...this.#positions.keys()]
  }
}

function answerColumns(
  question: WindowQuery,
  rows: AggregateRows,
  times: readonly string[],
  columns: Columns,
): (row: readonly unknown[]) => MeasureResult {
  const { number, conditions } = measuredNumber(question, rows)
  const counted = [...times, ...conditions]
  const { aggregation } = question
  const column = (name: keyof Sums) => columns.add(sumExpression(name, question, number, counted))
  if (isPercentile(aggregation)) {
    const [samples, list] = [column('samples'), columns.add(onlyIf(quantiles(PERCENTILE_NAMES, number), counted))]
    const place = PERCENTILE_NAMES.indexOf(aggregation)
    return (row) => toAnswer(row[samples] as number, (row[list] as readonly number[])[place]!)
  }
  const sums = sumsFor(aggregation).map((name) => [name, column(name)] as const)
  return (row) =>
    toResult(aggregation, { ...NO_SUMS, ...Object.fromEntries(sums.map(([name, at]) => [name, row[at]])) })
}
