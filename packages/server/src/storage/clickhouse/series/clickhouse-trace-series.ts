import type { ProjectId } from '@spoor/contract/ids'
import { percentilesOf } from '@spoor/contract/aggregations'
import { SERIES_GROUPS_MAX, SERIES_POINTS_MAX } from '@spoor/contract/limits'
import type {
  PriceOfTokens,
  TraceAggregates,
  TraceSeriesQuery,
  TraceSeriesStore,
} from '../../../ports/traces/trace-series.ts'
import type { PointPlace, SeriesPoint } from '../../../ports/metrics/series-point.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import { bucketOf, bucketStart, type TimeSpan } from '../../../lib/time/time-buckets.ts'
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
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { isAmong } from '../engine/literal.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { distribution, type Numbers, toDistribution, toSum } from './numeric-aggregates.ts'
import { type ReadPoints, readThrough, type SeriesReader } from './read-through.ts'
import type { SeriesCache } from './series-cache.ts'
import { rowGroup } from '../rows/row-groups.ts'
import { chooseByCost, readUsedTokens } from '../rows/used-tokens.ts'
import { withStep } from '../feed/step-conditions.ts'
import { hasWordsAnywhere } from '../feed/word-conditions.ts'

type Dependencies = Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>
type CountedQuery = Parameters<TraceSeriesStore['traceSeries']>[0]

/** A point, or tokens of one model in it. */
type Line = PointPlace & ({ readonly count: number } | { readonly tokens: object })

type ReadPart<Of extends Line> = SeriesReader<Of>['readPart']

/**
 * Series over the tables `traces` and `steps`. The latest version of a trace says whether it is deleted. A bucket is
 * read once, and again only after a commit of one of its traces; see SeriesCache. Tokens are cached and not their
 * costs, so prices may change.
 */
export class ClickHouseTraceSeries implements TraceSeriesStore {
  readonly #dependencies: Dependencies
  readonly #cache: SeriesCache
  /** Models that traces had before, and names with rates (`pricedName`). A guess for the next read, which checks it. */
  readonly #models = new Map<ProjectId, readonly string[]>()
  readonly #names = new Map<ProjectId, readonly string[]>()

  constructor(dependencies: Dependencies, cache: SeriesCache) {
    this.#dependencies = dependencies
    this.#cache = cache
  }

  async traceSeries(query: CountedQuery) {
    return await this.#series(query, (part) => this.#traceSeries(query, part))
  }

  async tokensUsed(query: TraceSeriesQuery, price: PriceOfTokens) {
    const costs = { ...query, measure: 'cost_usd' as const }
    const { points: lines, groupsLeftOut } = await this.#series(costs, (part) => this.#tokensUsed(costs, part, price))
    const tokens = lines.filter((line) => 'tokens' in line)
    return { points: lines.filter((line) => 'count' in line), tokens, groupsLeftOut }
  }

  async #series<Of extends Line>(query: TraceSeriesQuery, read: ReadPart<Of>): Promise<ReadPoints<Of>> {
    const cached = isKept(query) ? this.#cache.beginRead<Of>(query) : null
    try {
      await this.#dependencies.settled()
      const readPart = (part: readonly TimeSpan[]) => this.#inSlices(query, part, read)
      const readAll = () => readPart([query.span])
      const series = await (cached === null ? readAll() : readThrough(cached, query, { readAll, readPart }))
      if (series.points.filter((line) => 'count' in line).length > SERIES_POINTS_MAX) throw tooManyPoints()
      return series
    } finally {
      cached?.end()
    }
  }

  async #traceSeries(
    query: CountedQuery,
    part: readonly TimeSpan[],
  ): Promise<ReadPoints<SeriesPoint<TraceAggregates>>> {
    const { condition, weight, expressions, read } = MEASURES[query.measure]
    const rows = await rowsOf(this.#dependencies, query, part, condition)
    const { found, groups } = await this.#grouped(rows, query, weight, expressions)
    const points = found.map(({ values, ...place }) =>
      Object.assign(place, { count: values[0] as number, aggregates: read(values as Numbers) }),
    )
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }

  /**
   * What needs more memory than a read has is read in halves, by its rows: each bucket is in one of them. Only where
   * groups are left out, all rows are needed at once to find the largest.
   */
  async #inSlices<Of extends Line>(
    query: TraceSeriesQuery,
    part: readonly TimeSpan[],
    read: ReadPart<Of>,
  ): Promise<ReadPoints<Of>> {
    try {
      return await read(part)
    } catch (error) {
      const halves = isOutOfMemory(error) ? await this.#halvesOf(query, part) : null
      if (halves === null) throw error
      const before = await this.#inSlices(query, halves[0], read)
      const after = await this.#inSlices(query, halves[1], read)
      const points = [...before.points, ...after.points]
      const groups = new Set(points.map(({ group }) => group))
      if (before.groupsLeftOut + after.groupsLeftOut > 0 || groups.size > SERIES_GROUPS_MAX) throw error
      return { points, groupsLeftOut: 0 }
    }
  }

  /** Null if there is one bucket. */
  async #halvesOf(query: TraceSeriesQuery, part: readonly TimeSpan[]) {
    const half = part.length >> 1
    if (half > 0) return [part.slice(0, half), part.slice(half)] as const
    const span = part[0] as TimeSpan
    const middle = await this.#middleOf({ ...query, span })
    return middle === null ? null : ([[{ ...span, endTime: middle }], [{ ...span, startTime: middle }]] as const)
  }

  /** The start of the bucket with the middle row of a span; null if it has one bucket. */
  async #middleOf({ projectId, span, buckets }: TraceSeriesQuery): Promise<number | null> {
    const { engine, idLeadMs } = this.#dependencies
    const [row] = await engine.select(
      `SELECT toUnixTimestamp64Milli(quantile(0.5)(created_at)) FROM traces ` +
        `WHERE ${idsWithin('id', projectId, [span], idLeadMs()).join(' AND ')}`,
    )
    const { startTime, endTime } = span
    // A span without rows has any time.
    const at = Math.min(Math.max(startTime, (row?.[0] as number | undefined) ?? 0), endTime)
    const bucket = bucketOf(buckets, at === startTime ? (startTime + endTime) / 2 : at)
    const start = bucketStart(buckets, bucket)
    const middle = start > startTime ? start : bucketStart(buckets, bucket + 1)
    return middle > startTime && middle < endTime ? middle : null
  }

  async #tokensUsed(query: TraceSeriesQuery, part: readonly TimeSpan[], price: PriceOfTokens) {
    const { engine } = this.#dependencies
    const rows = await rowsOf(this.#dependencies, query, part, null)
    const all = await this.#grouped(rows, query, 'count()', ['count()'])
    const isAll = all.groups === null || all.groups.leftOut === 0
    const groups = isAll ? all.groups : await chooseByCost(engine, { query, rows }, all.groups, price)
    const counts = isAll ? all.found : await bucketedRows(engine, rows, query.buckets, groups, ['count()'])
    const points = counts.map(({ values, ...place }) => Object.assign(place, { count: values[0] as number }))
    const expected = this.#names.get(query.projectId)
    const tokens = points.length === 0 ? [] : await readUsedTokens(engine, { query, rows }, groups, expected)
    remember(this.#names, query.projectId, [...new Set(tokens.map(({ model }) => model))])
    return { points: [...points, ...tokens], groupsLeftOut: groups?.leftOut ?? 0 }
  }

  async #grouped(rows: AggregateRows, query: TraceSeriesQuery, weight: string, expressions: readonly string[]) {
    const { projectId, buckets, groupBy } = query
    const expected = groupBy?.by === 'model' ? this.#models.get(projectId) : undefined
    const group = groupBy === null ? null : rowGroup(groupBy)
    const all = await groupedRows(this.#dependencies.engine, rows, buckets, group, weight, expressions, expected)
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

/** The commits that change the answer are those of its traces; the others depend on events, clusters or prices too. */
function isKept({ among, scored, withoutMetric, rates }: TraceSeriesQuery): boolean {
  return among === null && scored === null && withoutMetric === null && rates === null
}

async function rowsOf(
  { engine, idLeadMs, removedEvents }: Dependencies,
  { projectId, filters, words, among, scored, withoutMetric, rates }: TraceSeriesQuery,
  part: readonly TimeSpan[],
  condition: string | null,
): Promise<AggregateRows> {
  const leadMs = idLeadMs()
  const rows = traceRows(projectId, part, leadMs)
  const [first, last] = [part[0] as TimeSpan, part.at(-1) as TimeSpan]
  const bounds = { lowestId: idAtTime('tr', first.startTime), highestId: idAtTime('tr', last.endTime + leadMs) }
  const cost = rates === null ? null : await costExpression(engine, { projectId, ...bounds }, rates)
  const stepCost = rates === null ? null : await costExpression(engine, { projectId, ...bounds }, rates, 'steps')
  const more = [
    ...traceConditions(filters, cost),
    ...withStep(filters, rows.within.steps, stepCost),
    ...metadataHints(filters),
    ...(condition === null ? [] : [condition]),
  ]
  if (among !== null) more.push(isAmong('id', among))
  more.push(...eventOfTraceConditions({ projectId, scored, withoutMetric }, bounds, await removedEvents(projectId)))
  if (words !== null) more.push(hasWordsAnywhere(words, rows.within.steps))
  return { ...rows, conditions: [...rows.conditions, ...more] }
}

interface Measure {
  readonly condition: string | null
  /** Groups with the greatest weight are shown. It is a total, so the groups left out have the least of the whole. */
  readonly weight: string
  readonly expressions: readonly string[]
  readonly read: (values: Numbers) => TraceAggregates
}

const SHOWN = percentilesOf('traces')
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
    expressions: distribution(SHOWN, 'toFloat64(duration_ms)'),
    read: (values) => ({ measure: 'duration_ms', ...toDistribution(SHOWN, values) }),
  },
  total_tokens: {
    condition: null,
    weight: 'sum(toFloat64(total_tokens))',
    expressions: distribution(SHOWN, 'toFloat64(total_tokens)'),
    read: (values) => ({ measure: 'total_tokens', sum: toSum(values[1]), ...toDistribution(SHOWN, values) }),
  },
}
