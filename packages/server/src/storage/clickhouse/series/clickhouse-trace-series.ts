import type { ProjectId } from '@spoor/contract/ids'
import { SERIES_GROUPS_MAX, SERIES_POINTS_MAX } from '@spoor/contract/limits'
import type {
  Distribution,
  PriceOfTokens,
  TraceAggregates,
  TraceSeriesPoint,
  TraceSeriesQuery,
  TraceSeriesStore,
} from '../../../ports/traces/trace-series.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import { bucketOf, bucketStart } from '../../../lib/time/time-buckets.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import {
  type AggregateRows,
  eventOfTraceConditions,
  idsWithin,
  metadataHints,
  traceConditions,
  traceRows,
} from './aggregate-rows.ts'
import { bucketedRows, groupedRows, tooManyPoints } from './bucketed-rows.ts'
import type { PointGroup } from './chosen-groups.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { isAmong } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { quantiles, scaledSum, toAverage, toSum } from './numeric-aggregates.ts'
import { chooseByCost, readUsedTokens } from '../rows/used-tokens.ts'
import { hasWordsAnywhere } from '../feed/word-conditions.ts'

interface Halves {
  readonly points: readonly PointGroup[]
  readonly groupsLeftOut: number
}

/** Series over the tables `traces` and `steps`. The latest version of a trace says whether it is deleted. */
export class ClickHouseTraceSeries implements TraceSeriesStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>
  /** Models that traces had before, and names with rates (`pricedName`). A guess for the next read, which checks it. */
  readonly #models = new Map<ProjectId, readonly string[]>()
  readonly #names = new Map<ProjectId, readonly string[]>()

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>) {
    this.#dependencies = dependencies
  }

  async traceSeries(query: Parameters<TraceSeriesStore['traceSeries']>[0]) {
    await this.#dependencies.settled()
    return await this.#inSlices(
      query,
      (slice) => this.#traceSeries(slice),
      (a, b) => ({ points: [...a.points, ...b.points], groupsLeftOut: 0 }),
    )
  }

  async #traceSeries(query: Parameters<TraceSeriesStore['traceSeries']>[0]) {
    const { engine, idLeadMs } = this.#dependencies
    const { condition, weight, expressions, read } = MEASURES[query.measure]
    const rows = await rowsOf(engine, query, idLeadMs(), condition)
    const { found, groups } = await this.#grouped(rows, query, weight, expressions)
    const points: TraceSeriesPoint[] = found.map(({ values, ...place }) =>
      Object.assign(place, { count: values[0] as number, aggregates: read(values as Numbers) }),
    )
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }

  async tokensUsed(query: TraceSeriesQuery, price: PriceOfTokens) {
    await this.#dependencies.settled()
    return await this.#inSlices(
      query,
      (slice) => this.#tokensUsed(slice, price),
      (a, b) => ({ points: [...a.points, ...b.points], tokens: [...a.tokens, ...b.tokens], groupsLeftOut: 0 }),
    )
  }

  /**
   * A span that needs more memory than a read has is read in halves, by its rows: each bucket is in one of them. Only
   * where groups are left out, all rows are needed at once to find the largest.
   */
  async #inSlices<Query extends TraceSeriesQuery, Series extends Halves>(
    query: Query,
    read: (slice: Query) => Promise<Series>,
    join: (before: Series, after: Series) => Series,
  ): Promise<Series> {
    try {
      return await read(query)
    } catch (error) {
      const middle = isOutOfMemory(error) ? await this.#middleOf(query) : null
      if (middle === null) throw error
      const { startTime, endTime } = query.span
      const before = await this.#inSlices({ ...query, span: { startTime, endTime: middle } }, read, join)
      const after = await this.#inSlices({ ...query, span: { startTime: middle, endTime } }, read, join)
      const joined = join(before, after)
      const groups = new Set(joined.points.map(({ group }) => group))
      if (before.groupsLeftOut + after.groupsLeftOut > 0 || groups.size > SERIES_GROUPS_MAX) throw error
      if (joined.points.length > SERIES_POINTS_MAX) throw tooManyPoints()
      return joined
    }
  }

  /** The start of the bucket with the middle row of a span; null if it has one bucket. */
  async #middleOf({ projectId, span, buckets }: TraceSeriesQuery): Promise<number | null> {
    const { engine, idLeadMs } = this.#dependencies
    const [row] = await engine.select(
      `SELECT toUnixTimestamp64Milli(quantile(0.5)(created_at)) FROM traces ` +
        `WHERE ${idsWithin('id', projectId, span, idLeadMs()).join(' AND ')}`,
    )
    const { startTime, endTime } = span
    // A span without rows has any time.
    const at = Math.min(Math.max(startTime, (row?.[0] as number | undefined) ?? 0), endTime)
    const bucket = bucketOf(buckets, at === startTime ? (startTime + endTime) / 2 : at)
    const start = bucketStart(buckets, bucket)
    const middle = start > startTime ? start : bucketStart(buckets, bucket + 1)
    return middle > startTime && middle < endTime ? middle : null
  }

  async #tokensUsed(query: TraceSeriesQuery, price: PriceOfTokens) {
    const { engine, idLeadMs } = this.#dependencies
    const rows = await rowsOf(engine, query, idLeadMs(), null)
    const all = await this.#grouped(rows, query, 'count()', ['count()'])
    const isAll = all.groups === null || all.groups.leftOut === 0
    const groups = isAll ? all.groups : await chooseByCost(engine, { query, rows }, all.groups, price)
    const counts = isAll ? all.found : await bucketedRows(engine, rows, query.buckets, groups, ['count()'])
    const points = counts.map(({ values, ...place }) => Object.assign(place, { count: values[0] as number }))
    const expected = this.#names.get(query.projectId)
    const tokens = points.length === 0 ? [] : await readUsedTokens(engine, { query, rows }, groups, expected)
    remember(this.#names, query.projectId, [...new Set(tokens.map(({ model }) => model))])
    return { points, tokens, groupsLeftOut: groups?.leftOut ?? 0 }
  }

  async #grouped(rows: AggregateRows, query: TraceSeriesQuery, weight: string, expressions: readonly string[]) {
    const { projectId, buckets, groupBy } = query
    const expected = groupBy?.by === 'model' ? this.#models.get(projectId) : undefined
    const all = await groupedRows(this.#dependencies.engine, rows, buckets, groupBy, weight, expressions, expected)
    if (groupBy?.by === 'model' && all.groups !== null) remember(this.#models, projectId, all.groups.stored)
    return all
  }
}

/** For 1000 projects. What was found last comes first; nothing is expected of a project that has more. */
function remember(lists: Map<ProjectId, readonly string[]>, projectId: ProjectId, found: readonly string[]): void {
  const known = lists.get(projectId) ?? []
  if (found.every((name) => known.includes(name))) return
  if (lists.size === 1000 && !lists.has(projectId)) lists.clear()
  const all = found.length < SERIES_GROUPS_MAX ? [...new Set([...found, ...known])] : []
  lists.set(projectId, all.slice(0, SERIES_GROUPS_MAX))
}

async function rowsOf(
  engine: TelemetryEngine,
  { projectId, span, filters, words, among, scored, withoutMetric, rates }: TraceSeriesQuery,
  idLeadMs: number,
  condition: string | null,
): Promise<AggregateRows> {
  const rows = traceRows(projectId, [span], idLeadMs)
  const bounds = { lowestId: idAtTime('tr', span.startTime), highestId: idAtTime('tr', span.endTime + idLeadMs) }
  const cost = rates === null ? null : await costExpression(engine, { projectId, ...bounds }, rates)
  const more = [
    ...traceConditions(filters, cost),
    ...metadataHints(filters),
    ...(condition === null ? [] : [condition]),
  ]
  if (among !== null) more.push(isAmong('id', among))
  more.push(...eventOfTraceConditions({ projectId, scored, withoutMetric }, bounds))
  if (words !== null) more.push(hasWordsAnywhere(words, idsWithin('trace_id', projectId, span, idLeadMs)))
  return { ...rows, conditions: [...rows.conditions, ...more] }
}

type Numbers = readonly [count: number, sum: number, min: number, max: number, quantiles: readonly number[]]

interface Measure {
  readonly condition: string | null
  /** Groups with the greatest weight are shown. It is a total, so the groups left out have the least of the whole. */
  readonly weight: string
  readonly expressions: readonly string[]
  readonly read: (values: Numbers) => TraceAggregates
}

const FAILED = `countIf(status = 'error')`

const MEASURES: Readonly<Record<Exclude<TraceSeriesQuery['measure'], 'cost_usd'>, Measure>> = {
  count: { condition: null, weight: 'count()', expressions: ['count()'], read: () => ({ measure: 'count' }) },
  error_rate: {
    condition: null,
    weight: FAILED,
    expressions: ['count()', FAILED],
    read: ([, errors]) => ({ measure: 'error_rate', errors }),
  },
  recovered_errors: {
    condition: null,
    weight: 'sum(recovered_errors)',
    expressions: ['count()', 'sum(recovered_errors)'],
    read: ([, sum]) => ({ measure: 'recovered_errors', sum }),
  },
  duration_ms: {
    condition: 'duration_ms >= 0',
    weight: 'sum(toFloat64(duration_ms))',
    expressions: distribution('duration_ms'),
    read: (values) => ({ measure: 'duration_ms', ...toDistribution(values) }),
  },
  total_tokens: {
    condition: null,
    weight: 'sum(toFloat64(total_tokens))',
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
