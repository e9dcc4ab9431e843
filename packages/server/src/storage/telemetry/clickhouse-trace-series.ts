import type {
  Distribution,
  TraceAggregates,
  TraceSeriesPoint,
  TraceSeriesQuery,
  TraceSeriesStore,
  UsedTokens,
} from '../../traces/trace-series.ts'
import {
  type AggregateRows,
  FINAL_SETTINGS,
  fromRows,
  idsWithin,
  traceConditions,
  traceRows,
} from './aggregate-rows.ts'
import { bucketedRows, type ChosenGroups, chooseGroups, timeBucketExpression, tooManyPoints } from './bucketed-rows.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { bucketStart } from '../../lib/time-buckets.ts'
import { integer, isAmong, texts } from './literal.ts'
import { quantiles, scaledSum, toAverage, toSum } from './numeric-aggregates.ts'
import { hasNameWords, hasWords } from './word-conditions.ts'

/** Lines of tokens by bucket, group and model in one answer. */
const MOST_TOKEN_ROWS = 200_000

/** Series over the tables `traces` and `steps`. Deleted traces are told by their newest version. */
export class ClickHouseTraceSeries implements TraceSeriesStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>) {
    this.#dependencies = dependencies
  }

  async traceSeries(query: Parameters<TraceSeriesStore['traceSeries']>[0]) {
    const { engine, settled, idLeadMs } = this.#dependencies
    await settled()
    const lead = idLeadMs()
    const { condition, expressions, read } = MEASURES[query.measure]
    const rows = rowsOf(query, lead, condition)
    const groups = await chooseGroups(engine, rows, query.groupBy)
    const found = await bucketedRows(engine, rows, query.buckets, groups, expressions)
    const points: TraceSeriesPoint[] = found.map(({ at, group, values }) => ({
      at,
      group,
      count: values[0] as number,
      aggregates: read(values as Numbers),
    }))
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }

  async tokensUsed(query: TraceSeriesQuery) {
    const { engine, settled, idLeadMs } = this.#dependencies
    await settled()
    const lead = idLeadMs()
    const rows = rowsOf(query, lead, null)
    const groups = await chooseGroups(engine, rows, query.groupBy)
    const counts = await bucketedRows(engine, rows, query.buckets, groups, ['count()'])
    const points = counts.map(({ at, group, values }) => ({ at, group, count: values[0] as number }))
    const groupsLeftOut = groups?.leftOut ?? 0
    if (points.length === 0) return { points, tokens: [], groupsLeftOut }
    const used = await engine.select(tokensQuery(query, lead, rows, groups))
    if (used.length > MOST_TOKEN_ROWS) throw tooManyPoints()
    return { points, tokens: used.map((row) => toUsedTokens(row, query, groups)), groupsLeftOut }
  }
}

function rowsOf(
  { projectId, span, filters, words, among }: TraceSeriesQuery,
  idLeadMs: number,
  condition: string | null,
): AggregateRows {
  const rows = traceRows(projectId, span, idLeadMs)
  const more = [...traceConditions(filters), ...(condition === null ? [] : [condition])]
  if (among !== null) more.push(isAmong('id', among))
  if (words !== null) {
    const steps = [...idsWithin('trace_id', projectId, span, idLeadMs), hasWords(words)].join(' AND ')
    more.push(`(${hasNameWords(words)} OR id IN (SELECT DISTINCT trace_id FROM steps WHERE ${steps}))`)
  }
  return { ...rows, conditions: [...rows.conditions, ...more] }
}

/** Steps beside the group of their trace. Those that name no model have no price, whatever they used. */
function tokensQuery(
  { projectId, span, buckets, groupBy }: TraceSeriesQuery,
  idLeadMs: number,
  rows: AggregateRows,
  groups: ChosenGroups | null,
): string {
  const ofStep = groupBy?.by === 'model'
  const traceGroup = groups === null || ofStep ? `''` : groups.group.expression
  const traces = `SELECT id, ${traceGroup} AS g FROM ${fromRows(rows)}`
  // Clients that report more cached tokens than input have them priced step by step as they would be alone.
  const input = 'greatest(input_tokens, cache_read_tokens + cache_write_tokens)'
  const others = ['cache_read_tokens', 'cache_write_tokens', 'output_tokens']
  const columns = [
    'trace_id',
    'trace_created_at',
    'toString(model) AS used',
    `toFloat64(${input}) AS all_input_tokens`,
    ...others.map((tokens) => `toFloat64(${tokens}) AS all_${tokens}`),
  ].join(', ')
  const steps = `SELECT ${columns} FROM steps WHERE ${idsWithin('trace_id', projectId, span, idLeadMs).join(' AND ')} AND model != ''`
  const group = groups === null ? `''` : ofStep ? 'used' : 'g'
  const chosen = groups === null ? '' : ` WHERE ${group} IN (${texts(groups.stored)})`
  const sums = ['input', 'cache_read', 'cache_write', 'output'].map((kind) => `sum(all_${kind}_tokens) AS ${kind}`)
  return (
    `SELECT ${timeBucketExpression('trace_created_at', buckets)} AS b, ${group} AS shown, used, ${sums.join(', ')} ` +
    `FROM (${steps}) AS steps INNER JOIN (${traces}) AS newest ON steps.trace_id = newest.id${chosen} ` +
    `GROUP BY b, shown, used HAVING input + output > 0 LIMIT ${integer(MOST_TOKEN_ROWS + 1)} SETTINGS ${FINAL_SETTINGS}`
  )
}

function toUsedTokens(row: readonly unknown[], { buckets }: TraceSeriesQuery, groups: ChosenGroups | null): UsedTokens {
  const [bucket, stored, model, input, cacheRead, cacheWrite, output] = row as [
    number,
    string,
    string,
    number,
    number,
    number,
    number,
  ]
  const group = groups === null ? null : groups.group.toLabel(stored)
  return { at: bucketStart(buckets, bucket), group, model, tokens: { input, cacheRead, cacheWrite, output } }
}

type Numbers = readonly [count: number, sum: number, min: number, max: number, quantiles: readonly number[]]

interface Measure {
  readonly condition: string | null
  readonly expressions: readonly string[]
  readonly read: (values: Numbers) => TraceAggregates
}

const MEASURES: Readonly<Record<Exclude<TraceSeriesQuery['measure'], 'cost_usd'>, Measure>> = {
  count: { condition: null, expressions: ['count()'], read: () => ({ measure: 'count' }) },
  error_rate: {
    condition: null,
    expressions: ['count()', `countIf(status = 'error')`],
    read: ([, errors]) => ({ measure: 'error_rate', errors }),
  },
  duration_ms: {
    condition: 'duration_ms >= 0',
    expressions: distribution('duration_ms'),
    read: (values) => ({ measure: 'duration_ms', ...toDistribution(values) }),
  },
  total_tokens: {
    condition: null,
    expressions: distribution('total_tokens'),
    read: (values) => ({ measure: 'total_tokens', sum: toSum(values[1]), ...toDistribution(values) }),
  },
}

function distribution(column: string): string[] {
  const number = `toFloat64(${column})`
  return ['count()', scaledSum(number), `min(${number})`, `max(${number})`, quantiles(['p50', 'p95', 'p99'], number)]
}

function toDistribution([count, sum, min, max, [p50, p95, p99]]: Numbers): Distribution {
  return {
    avg: toAverage(sum, count, min, max),
    min,
    max,
    p50: p50 as number,
    p95: p95 as number,
    p99: p99 as number,
  }
}
