import type { ProjectId } from '@spoor/contract/ids'
import { isCost } from '@spoor/contract/series-fields'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import type { MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { ModelRates } from '../../../ports/prices/price.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { type AggregateRows, fromRows } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { COST_COLUMN } from './measure-expressions.ts'

export interface PricedRowsDependencies extends Pick<AggregateDependencies, 'engine' | 'idLeadMs'> {
  readonly ratesOf: (projectId: ProjectId) => Promise<ModelRates>
}

/** The cost that a query measures; null for another measure. */
export function costMeasure({ source }: Pick<MeasureQuery, 'source'>) {
  return source.kind !== 'metric' && isCost(source.measure) ? source.measure : null
}

/**
 * For a query of a cost, the rows with COST_COLUMN, by the prices of this moment. In groups by model, the cost of a
 * trace is divided among its models, as in series.
 */
export async function withCost(
  { engine, idLeadMs, ratesOf }: PricedRowsDependencies,
  projectId: ProjectId,
  question: MeasureQuery,
  rows: AggregateRows,
  span: TimeSpan,
): Promise<AggregateRows> {
  const measure = costMeasure(question)
  if (measure === null) return rows
  const ids = {
    projectId,
    lowestId: idAtTime('tr', span.startTime),
    highestId: idAtTime('tr', span.endTime + idLeadMs()),
  }
  const table = question.source.kind === 'steps' ? 'steps' : 'traces'
  const isDivided = table === 'traces' && question.forEach === 'model'
  const [onlyModel, column] = [isDivided ? 'by_model' : null, measure === 'cost_usd' ? 'usage' : 'wasted'] as const
  const cost = await costExpression(engine, ids, await ratesOf(projectId), table, onlyModel, column)
  const [columns, from] = isDivided
    ? ['* REPLACE ([by_model] AS models)', `(SELECT *, arrayJoin(models) AS by_model FROM ${fromRows(rows)})`]
    : ['*', fromRows(rows)]
  const priced = `(SELECT ${columns}, ${cost} AS ${COST_COLUMN} FROM ${from})`
  return { ...rows, table: priced, hint: null, key: [], conditions: ['1'] }
}
