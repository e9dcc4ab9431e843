import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { SeriesFieldText } from '@spoor/contract/series-fields'
import { stepBoundsAmong, stepFilters, toTraceFilters } from '@spoor/contract/trace-filters'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import type { MeasureFilters, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { SeriesGroup } from '../../../ports/traces/explored-series.ts'
import type { SummaryQuery } from '../../../ports/traces/trace-summaries.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { filterConditions, matchingSteps } from '../feed/matching-traces.ts'
import { stepConditions } from '../feed/step-conditions.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import { type AggregateRows, fromRows, idsWithin } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import type { RowField } from '../series/series-groups.ts'
import { groupsBySteps } from './measure-plan.ts'
import type { PricedRowsDependencies } from './priced-rows.ts'

/**
 * The filters of traces with what they name: members of a cluster created within the span, metrics, and current prices.
 * Null if no trace can pass. Throws DomainError `validation_failed` if the cluster has too many traces in the span.
 */
export type LookUpFilters = (
  projectId: ProjectId,
  filters: MeasureFilters,
  span: TimeSpan,
) => Promise<Omit<SummaryQuery, 'by'> | null>

/** The field with the metric, or the members of clusters created within the span, that it names. Throws likewise. */
export type LookUpGroup = (projectId: ProjectId, field: SeriesFieldText, span: TimeSpan) => Promise<SeriesGroup>

export interface LookUpDependencies extends AggregateDependencies, PricedRowsDependencies {
  readonly lookUp: LookUpFilters
  readonly lookUpGroup: LookUpGroup
}

/** Rows to aggregate, and the filters that they must still pass. */
interface LookedUpRows {
  readonly rows: AggregateRows
  readonly filters: MeasureFilters
}

const NO_FILTERS: MeasureFilters = { ...toTraceFilters('monitors', {}), metadata: [], source: null }

/** The rows that pass the filters of a query as lists apply them, by the clusters, events and prices of this moment. */
export async function toLookedUp(
  dependencies: LookUpDependencies,
  projectId: ProjectId,
  { source, filters }: MeasureQuery,
  rows: AggregateRows,
  span: TimeSpan,
): Promise<LookedUpRows> {
  if (source.kind === 'metric') return ofEvents(dependencies, projectId, filters, rows)
  const found = await dependencies.lookUp(projectId, filters, span)
  if (found === null) return { rows: noneOf(rows), filters: NO_FILTERS }
  const query = { ...found, ...span }
  const lowest = idAtTime('tr', span.startTime)
  const idsOf = (id: 'id' | 'trace_id') => idsWithin(id, projectId, [span], dependencies.idLeadMs())
  const conditions =
    source.kind === 'traces'
      ? await filterConditions(dependencies, query, lowest)
      : (await matchingSteps(dependencies, query, lowest, null, idsOf)).conditions
  return { rows: { ...rows, conditions: [...rows.conditions, ...conditions] }, filters: NO_FILTERS }
}

/** Their traces may be of any time. The filters that events pass themselves remain. */
async function ofEvents(
  dependencies: LookUpDependencies,
  projectId: ProjectId,
  filters: MeasureFilters,
  rows: AggregateRows,
): Promise<LookedUpRows> {
  const { runType, notRunType, model, notModel, metadata, source } = filters
  const own: MeasureFilters = { ...NO_FILTERS, runType, notRunType, model, notModel, metadata, source }
  const none = { runType: null, notRunType: null, model: null, notModel: null, metadata: [], source: null }
  const span = await spanOfTraces(dependencies, rows)
  const found = span && (await dependencies.lookUp(projectId, { ...filters, ...none }, span))
  if (span === null || found === null) return { rows: noneOf(rows), filters: own }
  const query = { ...found, ...span }
  const conditions = [
    ...rows.within.traces,
    ...(await filterConditions(dependencies, query, idAtTime('tr', span.startTime))),
  ]
  const ofTraces = `trace_id IN (SELECT id FROM traces FINAL WHERE ${conditions.join(' AND ')})`
  return { rows: { ...rows, conditions: [...rows.conditions, ofTraces] }, filters: own }
}

/** The time in which the traces of events were created; null without events. */
async function spanOfTraces({ engine, idLeadMs }: LookUpDependencies, rows: AggregateRows): Promise<TimeSpan | null> {
  const [bounds] = await engine.select(`SELECT min(trace_id), max(trace_id) FROM ${fromRows(rows)}`)
  const [lowest, highest] = bounds as readonly [TraceId | '', TraceId | '']
  if (lowest === '' || highest === '') return null
  return { startTime: timeOfId(lowest) - idLeadMs(), endTime: timeOfId(highest) + 1 }
}

/**
 * The rows within the span, and the field that groups them; `group` is null for a query without groups. A trace has the
 * values of its steps that pass the filters of steps.
 */
export async function withGroup(
  dependencies: LookUpDependencies,
  projectId: ProjectId,
  query: MeasureQuery,
  rows: AggregateRows,
  span: TimeSpan,
): Promise<{ readonly rows: AggregateRows; readonly group: RowField | null }> {
  const { source, filters, forEach } = query
  if (forEach === null) return { rows, group: null }
  if (forEach === 'source') return { rows, group: { by: forEach } }
  const ofTraces = source.kind === 'metric' && forEach === 'cluster' ? await spanOfTraces(dependencies, rows) : span
  if (ofTraces === null) return { rows: noneOf(rows), group: { by: 'cluster', members: [] } }
  const group = await dependencies.lookUpGroup(projectId, forEach, ofTraces)
  const removed = group.by === 'metric' ? notRemoved(await dependencies.removedEvents(projectId)) : []
  const own = groupsBySteps(query) ? await conditionsOnSteps(dependencies, projectId, filters, span) : []
  const { within } = rows
  const joined = { ...within, steps: [...within.steps, ...own], events: [...within.events, ...removed] }
  return { rows: { ...rows, within: joined }, group }
}

async function conditionsOnSteps(
  { engine, idLeadMs, ratesOf }: LookUpDependencies,
  projectId: ProjectId,
  filters: MeasureFilters,
  { startTime, endTime }: TimeSpan,
): Promise<readonly string[]> {
  const own = stepFilters(filters) ?? {}
  const ids = { projectId, lowestId: idAtTime('tr', startTime), highestId: idAtTime('tr', endTime + idLeadMs()) }
  const isPriced = stepBoundsAmong(own).some(({ measure }) => measure.endsWith('cost_usd'))
  return stepConditions(own, isPriced ? await costExpression(engine, ids, await ratesOf(projectId), 'steps') : null)
}

function noneOf(rows: AggregateRows): AggregateRows {
  return { ...rows, conditions: ['0'] }
}
