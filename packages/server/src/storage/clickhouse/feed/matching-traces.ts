import type { TraceId } from '@spoor/contract/ids'
import { stepFilters, withoutStepFilters } from '@spoor/contract/trace-filters'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { SummaryQuery } from '../../../ports/traces/trace-summaries.ts'
import { isAmong, text } from '../engine/literal.ts'
import { createdIn, eventOfTraceConditions, metadataHints, traceConditions } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { costExpression } from './cost-expression.ts'
import { stepConditions, withStep } from './step-conditions.ts'
import { hasWordsAnywhere } from './word-conditions.ts'

type Query = Omit<SummaryQuery, 'by'>

/** Bounds on the ids of the traces of a query from `lowest` on, and on their creation. */
export function tracesWithin(
  { projectId, startTime, endTime, throughId }: Query,
  id: 'id' | 'trace_id',
  lowest: TraceId,
  idLeadMs: number,
): string[] {
  return [
    `project_id = ${text(projectId)}`,
    `${id} >= ${text(lowest)}`,
    `${id} <= ${text(throughId)}`,
    ...(endTime === null ? [] : [`${id} < ${text(idAtTime('tr', endTime + idLeadMs))}`]),
    ...(idLeadMs > 0 ? createdIn(id, { startTime, endTime }) : []),
  ]
}

/**
 * The conditions of the filters on the latest versions of traces from `lowest` on; none without filters. MUST be used
 * beside `tracesWithin` or other bounds on these traces.
 */
export async function filterConditions(
  { engine, idLeadMs, removedEvents }: Pick<AggregateDependencies, 'engine' | 'idLeadMs' | 'removedEvents'>,
  query: Query,
  lowest: TraceId,
): Promise<string[]> {
  const { projectId, filters, words, among, rates, throughId } = query
  const ids = { lowestId: lowest, highestId: throughId }
  const costOf = async (table: 'traces' | 'steps') =>
    rates === null ? null : costExpression(engine, { projectId, ...ids }, rates, table)
  // Rows of traces are within the bounds. To compare them with each step takes longer than its words.
  const [ofProject, ...bounds] = tracesWithin(query, 'trace_id', lowest, idLeadMs()) as [string, ...string[]]
  const stepsWithin = [ofProject, `indexHint(${bounds.join(' AND ')})`]
  return [
    ...traceConditions(filters, await costOf('traces')),
    ...metadataHints(filters),
    ...withStep(filters, stepsWithin, await costOf('steps')),
    ...(among === null ? [] : [isAmong('id', among)]),
    ...eventOfTraceConditions(query, ids, await removedEvents(projectId)),
    ...(words === null ? [] : [hasWordsAnywhere(words, stepsWithin)]),
  ]
}

/**
 * Conditions on the latest versions of steps: that they pass the filters of steps, and their traces, from `lowest` on,
 * all others. `deleted` as in `withoutDeleted`, `within`: bounds on their ids. `cost` is the expression for the cost of
 * a step, null without rates.
 */
export async function matchingSteps(
  dependencies: Pick<AggregateDependencies, 'engine' | 'idLeadMs' | 'removedEvents'>,
  query: Query,
  lowest: TraceId,
  deleted: string | null,
  within: (id: 'id' | 'trace_id') => string[] = (id) => tracesWithin(query, id, lowest, dependencies.idLeadMs()),
): Promise<{ readonly conditions: readonly string[]; readonly cost: string | null }> {
  const { projectId, filters, rates, throughId } = query
  const ids = { projectId, lowestId: lowest, highestId: throughId }
  const cost = rates === null ? null : await costExpression(dependencies.engine, ids, rates, 'steps')
  const ofTrace = { ...query, filters: withoutStepFilters(filters) }
  const others = await filterConditions(dependencies, ofTrace, lowest)
  const traces = [...within('id'), 'deleted = 0', ...others]
  const conditions = [
    ...within('trace_id'),
    ...(deleted === null ? [] : [deleted]),
    ...stepConditions(stepFilters(filters) ?? {}, cost),
    ...(others.length === 0 ? [] : [`trace_id IN (SELECT id FROM traces FINAL WHERE ${traces.join(' AND ')})`]),
  ]
  return { conditions, cost }
}
