import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import {
  type FilterName,
  filterValues,
  type RowFilters,
  traceBounds,
  type TraceFilters,
} from '@spoor/contract/trace-filters'
import type { MetricSource } from '../../../ports/journal/metric-event.ts'
import { type ScoredBy, scoredByMetric } from '../../../ports/metrics/scored-by.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import { filterTerms, metadataFilterTerms } from '../../../traces/rules/terms.ts'
import { instant, integer, text, texts } from '../engine/literal.ts'
import { scoreConditions } from '../rows/score-conditions.ts'
import { MINUTE_MS } from '../rows/stored-time.ts'
import { boundConditions } from '../feed/bound-conditions.ts'
import { hasAny, hasMetadata, hasOneOf, indexHints, isOneOf, termConditions } from '../feed/term-conditions.ts'

/** Conditions on rows of other tables that belong to the aggregated rows. */
export interface JoinedWithin {
  readonly traces: readonly string[]
  readonly steps: readonly string[]
  readonly events: readonly string[]
}

/**
 * Rows to aggregate: their table, bounds on its key, and further conditions. Used for metric events, traces
 * and steps alike.
 */
export interface AggregateRows {
  readonly table: string
  /** A condition that locates the rows and is already implied by `key`; null if there is none. */
  readonly hint: string | null
  readonly key: readonly string[]
  readonly conditions: readonly string[]
  readonly within: JoinedWithin
  /** A DateTime64(3) column. */
  readonly time: 'at' | 'created_at' | 'trace_created_at'
  /**
   * Whether the rows have the column `minute` and are sorted by it, so that buckets of whole minutes do not overlap in
   * the sorting order.
   */
  readonly byMinute: boolean
}

/** Filters on metric events and on traces. Null and empty: no filter. */
interface Narrowed {
  /** `value` null means "has the key". */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export interface EventFilters extends Narrowed, TraceFilters<'events'> {
  readonly source: MetricSource | null
}

/**
 * The text after FROM. Bounds on the key alone go into one PREWHERE step; the engine would make one step for each
 * column. A hint is not evaluated for each row unless rows are read in order, because the engine reads in order only if
 * every leading key column is bound by a condition.
 */
export function fromRows(rows: AggregateRows, inOrder = false): string {
  const { table, hint, conditions } = rows
  const key = hint === null ? rows.key : [inOrder ? hint : `indexHint(${hint})`, ...rows.key]
  return conditions.length === 0
    ? `${table} PREWHERE ${key.join(' AND ')}`
    : `${table} WHERE ${[...key, ...conditions].join(' AND ')}`
}

/**
 * Events of one metric within any of these spans. `deleted` is a condition that leaves out events of deleted traces,
 * null if there are none.
 */
export function metricRows(
  { projectId, metricId }: { readonly projectId: ProjectId; readonly metricId: MetricId },
  spans: readonly TimeSpan[],
  deleted: string | null,
): AggregateRows {
  const within = spans.map(({ startTime, endTime }) => pointsWithin(startTime, endTime).join(' AND '))
  // A metric belongs to one project.
  const hint = `project_id = ${text(projectId)}`
  const key = [`metric_id = ${text(metricId)}`, within.length === 1 ? within.join('') : `(${within.join(' OR ')})`]
  const traceIds = `(SELECT trace_id FROM metric_points PREWHERE ${[hint, ...key].join(' AND ')})`
  return {
    table: 'metric_points',
    hint,
    key,
    conditions: deleted === null ? [] : [deleted],
    within: {
      traces: [hint, `id IN ${traceIds}`, 'deleted = 0'],
      steps: [hint, `trace_id IN ${traceIds}`],
      events: [hint, `trace_id IN ${traceIds}`],
    },
    time: 'at',
    byMinute: true,
  }
}

/** Points with times in `[from, to)`, milliseconds; null: no bound. For whole minutes, the column `at` is not read. */
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
 * The latest version of each trace that is not deleted, created within any of these spans. FINAL merges only granules
 * that may contain versions of the same trace, which are recent ones; the others are read as they are. The key is
 * almost the creation time (see idsWithin). All versions of a trace are in the partition of its creation.
 */
export function traceRows(projectId: ProjectId, spans: readonly TimeSpan[], idLeadMs: number): AggregateRows {
  return {
    table: 'traces FINAL',
    hint: null,
    key: idsWithin('id', projectId, spans, idLeadMs),
    conditions: ['deleted = 0'],
    within: joinedWithin(projectId, spans, idLeadMs),
    time: 'created_at',
    byMinute: false,
  }
}

/** The latest version of each step of the traces created within any of these spans. `deleted` as in `metricRows`. */
export function stepRows(
  projectId: ProjectId,
  spans: readonly TimeSpan[],
  idLeadMs: number,
  deleted: string | null,
): AggregateRows {
  return {
    table: 'steps FINAL',
    hint: null,
    key: idsWithin('trace_id', projectId, spans, idLeadMs),
    conditions: deleted === null ? [] : [deleted],
    within: joinedWithin(projectId, spans, idLeadMs),
    time: 'trace_created_at',
    byMinute: false,
  }
}

function joinedWithin(projectId: ProjectId, spans: readonly TimeSpan[], idLeadMs: number): JoinedWithin {
  const [first, end] = [
    Math.min(...spans.map((span) => span.startTime)),
    Math.max(...spans.map((span) => span.endTime)),
  ]
  return {
    traces: [...idsWithin('id', projectId, spans, idLeadMs), 'deleted = 0'],
    steps: idsWithin('trace_id', projectId, spans, idLeadMs),
    events: [
      `project_id = ${text(projectId)}`,
      `trace_id >= ${text(idAtTime('tr', first))}`,
      `trace_id < ${text(idAtTime('tr', end + idLeadMs))}`,
    ],
  }
}

export const FINAL_SETTINGS = 'do_not_merge_across_partitions_select_final = 1'

/**
 * Optimisations of the engine that cost time and gain nothing here: projections, the cache of conditions, and one
 * PREWHERE step for each column.
 */
const POINT_SETTINGS =
  'optimize_use_projections = 0, use_query_condition_cache = 0, enable_multiple_prewhere_read_steps = 0'

/**
 * The settings of every statement over such rows. The engine must not move the scale out of a sum
 * (numeric-aggregates.ts).
 */
export function settingsOf({ table, byMinute }: AggregateRows, settings: readonly string[] = []): string {
  const all = ['optimize_arithmetic_operations_in_aggregate_functions = 0', ...settings]
  if (table.includes(' FINAL')) all.push(FINAL_SETTINGS)
  if (byMinute) all.push(POINT_SETTINGS)
  return ` SETTINGS ${all.join(', ')}`
}

/**
 * Rows of `traces` or `steps` by the creation time of the trace, within any of these spans. Ids may be ahead of it by
 * `idLeadMs` (see Journal), and locate the rows in the key. To compare the id of each row would take longer than to
 * read all other columns.
 */
export function idsWithin(
  column: 'id' | 'trace_id',
  projectId: ProjectId,
  spans: readonly TimeSpan[],
  idLeadMs: number,
): string[] {
  const within = spans.map((span) => {
    const [first, end] = [idAtTime('tr', span.startTime), idAtTime('tr', span.endTime + idLeadMs)]
    return [`indexHint(${column} >= ${text(first)} AND ${column} < ${text(end)})`, ...createdIn(column, span)]
  })
  const any = within.length === 1 ? within.flat() : [`(${within.map((of) => of.join(' AND ')).join(' OR ')})`]
  return [`project_id = ${text(projectId)}`, ...any]
}

/** Bounds on the creation time of the trace, which every row has. */
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

/** Conditions on rows of `metric_points`. */
export function eventConditions(filters: Pick<EventFilters, 'source' | 'metadata'> & Partial<EventFilters>): string[] {
  const given = (name: FilterName, condition: (values: readonly string[]) => string) => {
    const values = filterValues(filters, name).map(String)
    return values.length === 0 ? [] : [condition(values)]
  }
  return [
    ...given('run_type', (values) => isOneOf('run_type', values)),
    ...given('not_run_type', (values) => `NOT ${isOneOf('run_type', values)}`),
    ...given('model', (values) => hasAny('models', values)),
    ...given('not_model', (values) => `NOT ${hasAny('models', values)}`),
    ...(filters.source === null ? [] : [`source = ${text(filters.source)}`]),
    ...metadataGroups(filters).map(hasMetadata),
  ]
}

/** Absent filters add no condition. `cost` is the expression for bounds of the cost, if there are any. */
export function traceConditions(filters: Partial<RowFilters> & Narrowed, cost: string | null = null): string[] {
  const { groups, none } = filterTerms(filters)
  return [
    ...boundConditions(traceBounds(filters), cost),
    ...termConditions([...groups, ...metadataGroups(filters)]),
    ...(none.length === 0 ? [] : [`NOT ${hasOneOf(none)}`]),
  ]
}

/** Conditions of WHERE beside `traceConditions` that find traces with rare metadata by the index. */
export function metadataHints(filters: Narrowed): string[] {
  return indexHints(metadataGroups(filters))
}

function metadataGroups({ metadata }: Narrowed): (readonly string[])[] {
  return metadata.map(({ key, value }) => metadataFilterTerms(key, value))
}

/**
 * The traces with such an event. `lowestId` and `highestId` bound the ids of all traces that are read: events of others
 * are not read.
 */
function scoredTraces(
  projectId: ProjectId,
  by: ScoredBy,
  { lowestId, highestId }: { readonly lowestId: TraceId; readonly highestId: TraceId },
): string {
  const within = [
    `project_id = ${text(projectId)}`,
    `trace_id >= ${text(lowestId)}`,
    `trace_id <= ${text(highestId)}`,
    ...scoreConditions(by),
  ]
  return `(SELECT DISTINCT trace_id FROM metric_events WHERE ${within.join(' AND ')})`
}

/** Conditions on traces: with an event, and without any of a metric. Null: no condition. `without`: removed events. */
export function eventOfTraceConditions(
  { projectId, scored, withoutMetric }: EventOfTraceFilters,
  bounds: Parameters<typeof scoredTraces>[2],
  without: ReadonlySet<MetricEventId>,
): string[] {
  const traces = (by: ScoredBy) => scoredTraces(projectId, { ...by, without }, bounds)
  return [
    ...(scored === null ? [] : [`id IN ${traces(scored)}`]),
    ...(withoutMetric === null ? [] : [`id NOT IN ${traces(scoredByMetric(withoutMetric))}`]),
  ]
}

interface EventOfTraceFilters {
  readonly projectId: ProjectId
  readonly scored: ScoredBy | null
  readonly withoutMetric: MetricId | null
}

/** Leaves out the events of these traces. */
export function notOfTraces(traceIds: readonly TraceId[]): string {
  return `trace_id NOT IN (${texts(traceIds)})`
}
