import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import { filterValue, type RowFilterName, type RowFilters, type TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../../../ports/journal/metric-event.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import { FILTER_TERMS, metadataFilterTerms, ROW_FILTERS } from '../../../traces/intake/terms.ts'
import { instant, integer, text, texts } from '../engine/literal.ts'
import { MINUTE_MS } from '../rows/stored-time.ts'
import { termConditions } from '../feed/term-conditions.ts'

/**
 * Rows to aggregate: their table, bounds on its key, and what else holds for all of them. Aggregates of metric events
 * and of traces are made of these alike.
 */
export interface AggregateRows {
  readonly table: string
  /** Finds the rows, and holds for all that `key` leaves: null where there is no such condition. */
  readonly hint: string | null
  readonly key: readonly string[]
  readonly conditions: readonly string[]
  /** A DateTime64(3). */
  readonly time: 'at' | 'created_at'
  /**
   * Whether they have the column `minute` and lie in its order, so that each bucket of minutes ends before the next
   * begins.
   */
  readonly byMinute: boolean
}

/** Of metric events and of traces; null and empty ones ask for nothing. */
interface Narrowed {
  /** `value` null means "has the key". */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export interface EventFilters extends Narrowed, TraceFilters<'events'> {
  readonly source: MetricSource | null
}

/**
 * What stands behind FROM. Bounds on the key alone are looked at before all else, in one step: the engine would take
 * one for each column. A hint is not looked at in each row, unless they are to be taken in order: the engine does so
 * where all that the order begins with is bound.
 */
export function fromRows(rows: AggregateRows, inOrder = false): string {
  const { table, hint, conditions } = rows
  const key = hint === null ? rows.key : [inOrder ? hint : `indexHint(${hint})`, ...rows.key]
  return conditions.length === 0
    ? `${table} PREWHERE ${key.join(' AND ')}`
    : `${table} WHERE ${[...key, ...conditions].join(' AND ')}`
}

/**
 * Events of one metric within any of some spans, but for those of `deleted` traces: a condition, or null when there is
 * none to leave out.
 */
export function metricRows(
  { projectId, metricId }: { readonly projectId: ProjectId; readonly metricId: MetricId },
  spans: readonly TimeSpan[],
  deleted: string | null,
): AggregateRows {
  const within = spans.map(({ startTime, endTime }) => pointsWithin(startTime, endTime).join(' AND '))
  return {
    table: 'metric_points',
    // A metric is of one project.
    hint: `project_id = ${text(projectId)}`,
    key: [`metric_id = ${text(metricId)}`, within.length === 1 ? within.join('') : `(${within.join(' OR ')})`],
    conditions: deleted === null ? [] : [deleted],
    time: 'at',
    byMinute: true,
  }
}

/** Points with times in `[from, to)`, milliseconds; null for no bound. Of whole minutes their times are not read. */
export function pointsWithin(from: number | null, to: number | null): string[] {
  const conditions: string[] = []
  if (from !== null) {
    conditions.push(`minute >= ${integer(Math.floor(from / MINUTE_MS))}`)
    if (from % MINUTE_MS !== 0) conditions.push(`at >= ${instant(from)}`)
  }
  if (to !== null) {
    conditions.push(`minute < ${integer(Math.ceil(to / MINUTE_MS))}`)
    if (to % MINUTE_MS !== 0) conditions.push(`at < ${instant(to)}`)
  }
  return conditions
}

/**
 * The newest version of each trace that is not deleted. FINAL merges only granules that may hold versions of the same
 * trace, which are those lately written: the others are read as they are. The key is nearly the time (see idsWithin);
 * all versions of a trace lie in the partition of its creation.
 */
export function traceRows(projectId: ProjectId, span: TimeSpan, idLeadMs: number): AggregateRows {
  return {
    table: 'traces FINAL',
    hint: null,
    key: idsWithin('id', projectId, span, idLeadMs),
    conditions: ['deleted = 0'],
    time: 'created_at',
    byMinute: false,
  }
}

export const FINAL_SETTINGS = 'do_not_merge_across_partitions_select_final = 1'

/**
 * What takes the engine time and finds nothing here: projections, which granules had no such rows before, and
 * conditions column by column.
 */
const POINT_SETTINGS =
  'optimize_use_projections = 0, use_query_condition_cache = 0, enable_multiple_prewhere_read_steps = 0'

/** Behind every statement over such rows. The engine must not draw the scale out of a sum (numeric-aggregates.ts). */
export function settingsOf({ table, byMinute }: AggregateRows, settings: readonly string[] = []): string {
  const all = ['optimize_arithmetic_operations_in_aggregate_functions = 0', ...settings]
  if (table.endsWith(' FINAL')) all.push(FINAL_SETTINGS)
  if (byMinute) all.push(POINT_SETTINGS)
  return ` SETTINGS ${all.join(', ')}`
}

/**
 * Rows of `traces` or `steps` by the creation of the trace: bounds on their key. Only where ids have run ahead of it
 * (`idLeadMs`, see Journal) is the creation looked at, too.
 */
export function idsWithin(column: 'id' | 'trace_id', projectId: ProjectId, span: TimeSpan, idLeadMs: number): string[] {
  return [
    `project_id = ${text(projectId)}`,
    `${column} >= ${text(idAtTime('tr', span.startTime))}`,
    `${column} < ${text(idAtTime('tr', span.endTime + idLeadMs))}`,
    ...(idLeadMs > 0 ? createdIn(column, span) : []),
  ]
}

/** The creation of the trace, which every row of it has. */
export function createdIn(
  column: 'id' | 'trace_id',
  { startTime, endTime }: { readonly startTime: number | null; readonly endTime: number | null },
): string[] {
  const createdAt = column === 'id' ? 'created_at' : 'trace_created_at'
  return [
    ...(startTime === null ? [] : [`${createdAt} >= ${instant(startTime)}`]),
    ...(endTime === null ? [] : [`${createdAt} < ${instant(endTime)}`]),
  ]
}

export function eventConditions(filters: EventFilters): string[] {
  const source = filters.source === null ? [] : [`source = ${text(filters.source)}`]
  return [
    ...columnConditions({ runType: filters.runType, model: filters.model }),
    ...source,
    ...termConditions(metadataGroups(filters)),
  ]
}

/** Those filters that are not given ask for nothing. */
export function traceConditions(filters: Partial<RowFilters> & Narrowed): string[] {
  const isLeftOut = (name: RowFilterName) => filterValue(filters, name) === false
  const byTerm = termFilters(filters)
  const groups = byTerm
    .filter((name) => !isLeftOut(name))
    .map((name) => [FILTER_TERMS[name](String(filterValue(filters, name)))])
  const leftOut = byTerm.filter(isLeftOut).map((name) => `NOT has(terms, ${text(FILTER_TERMS[name]('true'))})`)
  return [...columnConditions(filters), ...termConditions([...groups, ...metadataGroups(filters)]), ...leftOut]
}

/** Whether `traceConditions` reads `terms`, by far the widest column. */
export function readsTerms(filters: Partial<RowFilters> & Narrowed): boolean {
  return filters.metadata.length > 0 || termFilters(filters).length > 0
}

/** Columns of their own are many times cheaper to read than terms: a filter that has none goes by its term. */
const COLUMN_CONDITIONS: { readonly [Name in RowFilterName]?: (value: string | boolean) => string } = {
  run_type: (value) => `run_type = ${text(String(value))}`,
  model: (value) => `has(models, ${text(String(value))})`,
  status: (value) => `status = ${text(String(value))}`,
  flagged: (value) => `flagged = ${integer(value === true ? 1 : 0)}`,
}
const COLUMN_FILTERS = Object.keys(COLUMN_CONDITIONS) as RowFilterName[]
const TERM_FILTERS = ROW_FILTERS.filter((name) => !(name in COLUMN_CONDITIONS))

function columnConditions(filters: Partial<RowFilters>): string[] {
  return COLUMN_FILTERS.flatMap((name) => {
    const value = filterValue(filters, name)
    return value === null ? [] : [COLUMN_CONDITIONS[name]!(value)]
  })
}

function termFilters(filters: Partial<RowFilters>): readonly RowFilterName[] {
  return TERM_FILTERS.filter((name) => filterValue(filters, name) !== null)
}

function metadataGroups({ metadata }: Narrowed): (readonly string[])[] {
  return metadata.map(({ key, value }) => metadataFilterTerms(key, value))
}

/** Leaves out the events of these traces. */
export function notOfTraces(traceIds: readonly TraceId[]): string {
  return `trace_id NOT IN (${texts(traceIds)})`
}
