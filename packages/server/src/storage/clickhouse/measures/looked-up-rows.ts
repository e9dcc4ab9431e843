import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import type { MeasureFilters, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { SummaryQuery } from '../../../ports/traces/trace-summaries.ts'
import { filterConditions, matchingSteps } from '../feed/matching-traces.ts'
import { type AggregateRows, fromRows, idsWithin } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'

/**
 * The filters of traces with what they name: members of a cluster created within the span, metrics, and current prices.
 * Null if no trace can pass. Throws DomainError `validation_failed` if the cluster has too many traces in the span.
 */
export type LookUpFilters = (
  projectId: ProjectId,
  filters: MeasureFilters,
  span: TimeSpan,
) => Promise<Omit<SummaryQuery, 'by'> | null>

type Dependencies = AggregateDependencies & { readonly lookUp: LookUpFilters }

/** Rows to aggregate, and the filters that they must still pass. */
interface LookedUpRows {
  readonly rows: AggregateRows
  readonly filters: MeasureFilters
}

const NO_FILTERS: MeasureFilters = { ...toTraceFilters('monitors', {}), metadata: [], source: null }

/** The rows that pass the filters of a query as lists apply them, by the clusters, events and prices of this moment. */
export async function toLookedUp(
  dependencies: Dependencies,
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
  dependencies: Dependencies,
  projectId: ProjectId,
  filters: MeasureFilters,
  rows: AggregateRows,
): Promise<LookedUpRows> {
  const { runType, notRunType, model, notModel, metadata, source } = filters
  const own: MeasureFilters = { ...NO_FILTERS, runType, notRunType, model, notModel, metadata, source }
  const none = { runType: null, notRunType: null, model: null, notModel: null, metadata: [], source: null }
  const [bounds] = await dependencies.engine.select(`SELECT min(trace_id), max(trace_id) FROM ${fromRows(rows)}`)
  const [lowest, highest] = bounds as readonly [TraceId | '', TraceId | '']
  if (lowest === '' || highest === '') return { rows: noneOf(rows), filters: own }
  const span = { startTime: timeOfId(lowest) - dependencies.idLeadMs(), endTime: timeOfId(highest) + 1 }
  const found = await dependencies.lookUp(projectId, { ...filters, ...none }, span)
  if (found === null) return { rows: noneOf(rows), filters: own }
  const conditions = [...rows.within.traces, ...(await filterConditions(dependencies, { ...found, ...span }, lowest))]
  const ofTraces = `trace_id IN (SELECT id FROM traces FINAL WHERE ${conditions.join(' AND ')})`
  return { rows: { ...rows, conditions: [...rows.conditions, ofTraces] }, filters: own }
}

function noneOf(rows: AggregateRows): AggregateRows {
  return { ...rows, conditions: ['0'] }
}
