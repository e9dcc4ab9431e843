import type { TraceId } from '@spoor/contract/ids'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { SummaryQuery } from '../../../ports/traces/trace-summaries.ts'
import { isAmong, text } from '../engine/literal.ts'
import { createdIn, eventOfTraceConditions, metadataHints, traceConditions } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { costExpression } from './cost-expression.ts'
import { withStep } from './step-conditions.ts'
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

/** The conditions of the filters on the latest versions of traces from `lowest` on; none without filters. */
export async function filterConditions(
  { engine, idLeadMs }: Pick<AggregateDependencies, 'engine' | 'idLeadMs'>,
  query: Query,
  lowest: TraceId,
): Promise<string[]> {
  const { projectId, filters, words, among, rates, throughId } = query
  const ids = { lowestId: lowest, highestId: throughId }
  const costOf = async (table: 'traces' | 'steps') =>
    rates === null ? null : costExpression(engine, { projectId, ...ids }, rates, table)
  const stepsWithin = tracesWithin(query, 'trace_id', lowest, idLeadMs())
  return [
    ...traceConditions(filters, await costOf('traces')),
    ...metadataHints(filters),
    ...withStep(filters, stepsWithin, await costOf('steps')),
    ...(among === null ? [] : [isAmong('id', among)]),
    ...eventOfTraceConditions(query, ids),
    ...(words === null ? [] : [hasWordsAnywhere(words, stepsWithin)]),
  ]
}
