import type { MetricId } from '@spoor/contract/ids'
import { SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { isCost, type SeriesRows } from '@spoor/contract/series-fields'
import { stepBoundsAmong, stepFilters, traceBounds } from '@spoor/contract/trace-filters'
import { type ModelRates, modelOfPriced } from '../../../ports/prices/price.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../../lib/time/time-buckets.ts'
import type {
  BucketedSpan,
  ExploredQuery,
  ExploredSeries,
  ExploredSeriesStore,
  ExploredValue,
} from '../../../ports/traces/explored-series.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { filterConditions, matchingSteps } from '../feed/matching-traces.ts'
import { stepConditions } from '../feed/step-conditions.ts'
import { integer, text } from '../engine/literal.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { readGroupsInHalves } from '../feed/row-windows.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import { FINAL_SETTINGS, idsWithin } from './aggregate-rows.ts'
import { timeBucketExpression, tooManyPoints } from './bucketed-rows.ts'
import { placesOfRow, type Ranking, rankGroups } from './chosen-groups.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { withoutDeleted } from './deleted-events.ts'
import {
  type Chosen,
  choose,
  type Found,
  MOST_COMPARED,
  NONE,
  placed,
  type Scan,
  toScan,
  toSeries,
} from './explored-groups.ts'
import type { Numbers } from './numeric-aggregates.ts'
import { type ReadPoints, readThrough } from './read-through.ts'
import { added, addsUp, joinPoints, keptQuery, type Scanned } from './scanned.ts'
import type { SeriesCache, SeriesRead } from './series-cache.ts'
import { ALL_GROUPS, type FieldGroup, groupOf, type SqlField, sqlField } from './series-groups.ts'
import { isDistributed, sqlMeasure, type SqlMeasure } from './series-measures.ts'
import { isPricedAfter, priced, readUsedTokens, USED_MODEL } from './used-tokens.ts'

/** Each group by bucket and, merged from these, over the whole time. Grouping sets aggregate every row twice. */
const totalsToo = (group: 'g' | 'h') => `GROUP BY ${group}, b WITH ROLLUP HAVING grouping(${group}) = 0`
const IS_TOTAL = 'grouping(b)'

const SETTINGS = ` SETTINGS ${FINAL_SETTINGS}, optimize_arithmetic_operations_in_aggregate_functions = 0`

/**
 * Series of any measure by any field over the tables `traces` and `steps`. Mostly all groups are shown: then one query
 * finds them and their numbers in each bucket. Otherwise one finds the groups that are shown, another their numbers.
 * Where the numbers of buckets add up, a bucket is read once, and again only after a commit of one of its traces; see
 * SeriesCache.
 */
export class ClickHouseExploredSeries implements ExploredSeriesStore {
  readonly #dependencies: AggregateDependencies
  readonly #cache: SeriesCache

  constructor(dependencies: AggregateDependencies, cache: SeriesCache) {
    this.#dependencies = dependencies
    this.#cache = cache
  }

  async exploredSeries(query: ExploredQuery): Promise<ExploredSeries> {
    const begin = ({ span, buckets }: BucketedSpan): Reading => {
      const kept = keptQuery(query, buckets)
      return { span, buckets, cached: kept && this.#cache.beginRead(kept) }
    }
    const now = begin(query)
    const before = query.previous && begin(query.previous)
    try {
      await this.#dependencies.settled()
      const { chosen, found, past, unpriced } = await this.#chooseAndRead(query, now, before)
      const keys = new Set([...found.points.keys(), ...(past?.points.keys() ?? [])])
      if (keys.size > SERIES_POINTS_MAX) throw tooManyPoints()
      return {
        ...toSeries(query, chosen, found, past),
        groupsLeftOut: chosen.leftOut,
        unpricedModels: [...new Set(unpriced.map((used) => modelOfPriced(used).model))].sort(),
      }
    } finally {
      now.cached?.end()
      before?.cached?.end()
    }
  }

  async #chooseAndRead(query: ExploredQuery, now: Reading, before: Reading | null): Promise<Answer> {
    const all = await this.#readAll(query, now)
    const allBefore = before && all && (await this.#readAll(query, before))
    const isAll = all !== null && (before === null || allBefore !== null)
    if (isAll) {
      const chosen = choose(query, all.ranking, allBefore?.ranking ?? NONE)
      if (chosen.leftOut === 0) {
        const unpriced = isPricedAfter(query) ? all.unpriced : await this.#unpriced(query, now)
        return {
          chosen,
          found: placed(all, now, chosen),
          past: allBefore && placed(allBefore, before as Reading, chosen),
          unpriced,
        }
      }
    }
    const sourceOf = ({ span, buckets }: BucketedSpan) => this.#sourceOf(query, buckets, [span], false)
    const source = await sourceOf(now)
    const sourceBefore = before && (await sourceOf(before))
    const ranking = isAll ? all.ranking : await this.#rank(query, source)
    const past = isAll ? allBefore?.ranking : sourceBefore && (await this.#rank(query, sourceBefore))
    const chosen = choose(query, ranking, past ?? NONE)
    return {
      chosen,
      found: await this.#read(source, now, chosen),
      past: before && sourceBefore && (await this.#read(sourceBefore, before, chosen)),
      unpriced: await this.#unpriced(query, now),
    }
  }

  /** The rows of some spans, and what is aggregated of them: with `pricesTokens` their number, beside their tokens. */
  async #sourceOf(
    query: ExploredQuery,
    buckets: TimeBuckets,
    part: readonly TimeSpan[],
    pricesTokens: boolean,
  ): Promise<Source> {
    const { engine, removedEvents, idLeadMs } = this.#dependencies
    const { projectId, filters, rates, rows, groupBy, measure } = query
    const { startTime, endTime } = { startTime: part[0]!.startTime, endTime: part.at(-1)!.endTime }
    const isBounded = [...traceBounds(filters), ...stepBoundsAmong(filters)].some(({ measure: of }) =>
      of.endsWith('cost_usd'),
    )
    // What is kept must have all that was committed, also after the query was made.
    const throughId = idAtTime('tr', endTime + idLeadMs())
    const within = { ...query, startTime, endTime, throughId, rates: isBounded ? rates : null }
    const lowest = idAtTime('tr', startTime)
    const ids = { projectId, lowestId: lowest, highestId: throughId }
    const stepCost =
      rates !== null && (isBounded || (rows === 'steps' && !pricesTokens))
        ? await costExpression(engine, ids, rates, 'steps')
        : null
    // Rows need no comparison of ids, which takes longer than all other columns together.
    const idsOf = (id: 'id' | 'trace_id') => idsWithin(id, projectId, part, idLeadMs())
    const traceIds = idsOf('trace_id')
    const traces = [
      ...idsOf('id'),
      'deleted = 0',
      ...(rows === 'traces' ? await filterConditions(this.#dependencies, within, lowest) : []),
    ]
    const events = [
      `project_id = ${text(projectId)}`,
      `trace_id >= ${text(lowest)}`,
      `trace_id <= ${text(throughId)}`,
      ...notRemoved(await removedEvents(projectId)),
    ]
    const joined = { traces, steps: [...traceIds, ...stepConditions(stepFilters(filters) ?? {}, stepCost)], events }
    const fields = groupBy.map((group, at) => sqlField(group, rows, joined, at))
    // The cost of a trace is divided among its models.
    const model = rows === 'traces' && isCost(measure) ? groupBy.findIndex(({ by }) => by === 'model') : -1
    const byModel = (values: string) => fields.with(model, { ...(fields[model] as SqlField), values, many: false })
    const column = measure === 'wasted_cost_usd' ? 'wasted' : 'usage'
    const isDivided = model !== -1 && !pricesTokens
    const cost =
      rates === null || rows === 'steps' || pricesTokens
        ? stepCost
        : await costExpression(engine, ids, rates, 'traces', isDivided ? 'by_model' : null, column)
    const measured = sqlMeasure(pricesTokens ? { measure: 'count', stat: 'count' } : query, cost)
    const deleted = rows === 'steps' ? await withoutDeleted(this.#dependencies, projectId, 'steps') : null
    const conditions =
      rows === 'steps' ? (await matchingSteps(this.#dependencies, within, lowest, deleted, idsOf)).conditions : traces
    const joins = [
      ...fields.flatMap(({ join }) => join ?? []),
      ...(typeof measure === 'object' ? [newestValues(measure.metricId, rows, events)] : []),
    ].join(' ')
    const known = measured.known.join(' AND ')
    const isKnown = known === '' || isDivided ? [] : [known]
    const from = `(SELECT * FROM ${rows} FINAL WHERE ${[...conditions, ...isKnown].join(' AND ')}) AS kept ${joins}`
    const divided = `(SELECT *, arrayJoin(models) AS by_model FROM ${from})`
    return {
      from: isDivided ? `(SELECT * FROM ${divided} WHERE ${known || '1'}) AS each` : from,
      // Groups that are not shown may have several models of a trace.
      count: isDivided ? 'uniqExact(id)' : 'count()',
      group: groupOf(isDivided ? byModel('by_model') : fields),
      measured,
      usage: {
        column,
        ...(model === -1 ? { group: groupOf(fields) } : { group: groupOf(byModel(USED_MODEL)), isByModel: true }),
      },
      bucket: timeBucketExpression(rows === 'traces' ? 'created_at' : 'trace_created_at', buckets),
    }
  }

  /** The numbers of all groups; null if there are too many. */
  async #readAll(query: ExploredQuery, { span, buckets, cached }: Reading): Promise<Scan | null> {
    if (!addsUp(query)) return toScan(await this.#scan(query, buckets, [span]))
    const readPart = (part: readonly TimeSpan[]) => this.#inSlices(query, buckets, part)
    const readAll = () => readPart([span])
    const read = cached === null ? await readAll() : await readThrough(cached, { span, buckets }, { readAll, readPart })
    if (read.groupsLeftOut > 0 || read.points.length >= SERIES_POINTS_MAX) return null
    const ofGroup = Map.groupBy(read.points, ({ group }) => group)
    const totals = [...ofGroup].map(([of, points]) => [of, added(points, query.stat)] as const)
    return toScan({ points: read.points, totals: new Map(totals) })
  }

  /** What needs more memory than a read has is read in halves, by its rows. */
  async #inSlices(query: ExploredQuery, buckets: TimeBuckets, part: readonly TimeSpan[]): Promise<ReadPoints<Scanned>> {
    try {
      const scanned = await this.#scan(query, buckets, part)
      return { points: scanned?.points ?? [], groupsLeftOut: scanned === null ? 1 : 0 }
    } catch (error) {
      const halves = isOutOfMemory(error) ? await this.#halvesOf(query, buckets, part) : null
      if (halves === null) throw error
      const before = await this.#inSlices(query, buckets, halves[0])
      const after = await this.#inSlices(query, buckets, halves[1])
      const points = joinPoints([...before.points, ...after.points], query.stat)
      return { points, groupsLeftOut: before.groupsLeftOut + after.groupsLeftOut }
    }
  }

  async #halvesOf(query: ExploredQuery, buckets: TimeBuckets, part: readonly TimeSpan[]) {
    const half = part.length >> 1
    if (half > 0) return [part.slice(0, half), part.slice(half)] as const
    const span = part[0] as TimeSpan
    const middle = await this.#middleOf(query, buckets, span)
    return middle === null ? null : ([[{ ...span, endTime: middle }], [{ ...span, startTime: middle }]] as const)
  }

  /**
   * The start of the bucket with the middle trace of a span; the time of that trace if the span has one bucket, whose
   * halves add up unless they have percentiles. Null if there is none.
   */
  async #middleOf({ projectId, measure }: ExploredQuery, buckets: TimeBuckets, span: TimeSpan): Promise<number | null> {
    const { engine, idLeadMs } = this.#dependencies
    const [row] = await engine.select(
      `SELECT toUnixTimestamp64Milli(quantile(0.5)(created_at)) FROM traces ` +
        `WHERE ${idsWithin('id', projectId, [span], idLeadMs()).join(' AND ')}`,
    )
    const { startTime, endTime } = span
    // A span without rows has any time.
    const found = Math.min(Math.max(startTime, (row?.[0] as number | undefined) ?? 0), endTime)
    const at = found === startTime ? (startTime + endTime) / 2 : found
    const bucket = bucketOf(buckets, at)
    const start = bucketStart(buckets, bucket)
    const isWithin = (time: number) => time > startTime && time < endTime
    const edges = [start, bucketStart(buckets, bucket + 1), ...(isDistributed(measure) ? [] : [Math.floor(at)])]
    return edges.find(isWithin) ?? null
  }

  /**
   * The numbers of all groups by bucket, and of those that do not add up over the whole time; null if there are too
   * many. Rows are grouped by the hash of their value: with a text and a number as keys, the engine takes twice the
   * time.
   */
  async #scan(query: ExploredQuery, buckets: TimeBuckets, part: readonly TimeSpan[]) {
    const { engine } = this.#dependencies
    const isPriced = isPricedAfter(query)
    const source = await this.#sourceOf(query, buckets, part, isPriced)
    const { from, group, measured, count, bucket, usage } = source
    const [isSummed, keys] = addsUp(query) ? ['0', 'GROUP BY h, b'] : [IS_TOTAL, totalsToo('h')]
    const select = (slice: readonly string[]) =>
      engine.select(
        `SELECT ${isSummed}, b, toString(any(g)), ${[count, ...measured.expressions].join(', ')} ` +
          `FROM (SELECT *, ${bucket} AS b, ${group.expression} AS g, cityHash64(g) AS h FROM ${from}) ` +
          `WHERE ${['1', ...slice].join(' AND ')} ${keys}${SETTINGS}, max_rows_to_group_by = ${integer(SERIES_POINTS_MAX)}, group_by_overflow_mode = 'break'`,
      )
    // What adds up is read in halves of its time.
    const isWhole = addsUp(query) || query.groupBy.length === 0
    const rows = await (isWhole ? select([]) : readGroupsInHalves('h', select))
    if (rows.length >= SERIES_POINTS_MAX) return null
    const points: Scanned[] = []
    const totals = new Map<string, ExploredValue>()
    for (const [isTotal, number, of, ...values] of rows as readonly ScannedRow[]) {
      const value = measured.read(values as unknown as Numbers)
      if (isTotal === 1) totals.set(of, value)
      else points.push({ at: bucketStart(buckets, number), group: of, value })
    }
    if (!isPriced) return { points, totals }
    const used = await readUsedTokens(engine, { ...usage, from, bucket })
    return used && { points: priced(points, used, query.rates as ModelRates, buckets), totals }
  }

  async #rank({ order, limit }: ExploredQuery, { from, group, measured, count }: Source): Promise<Ranking> {
    const weight = order === 'count' ? count : measured.weight
    const most = order === 'change' ? MOST_COMPARED : limit
    const grouped = `(SELECT *, ${group.expression} AS g FROM ${from})`
    return await rankGroups(this.#dependencies.engine, grouped, { weight, count, limit: most }, SETTINGS)
  }

  /** The numbers of each group in each bucket and over the whole span. */
  async #read({ from, group, measured, count, bucket }: Source, at: BucketedSpan, chosen: Chosen): Promise<Found> {
    const found: Found = { at, points: new Map(), totals: new Map() }
    if (chosen.stored.length === 0) return found
    const place = placesOfRow({ ...chosen, group })
    const shown = chosen.leftOut > 0 ? '1' : 'g > 0'
    const rows = await readGroupsInHalves('g', (slice) =>
      this.#dependencies.engine.select(
        `SELECT ${IS_TOTAL}, b, g, ${[count, ...measured.expressions].join(', ')} ` +
          `FROM (SELECT *, ${bucket} AS b, toUInt32(${place}) AS g FROM ${from}) ` +
          `WHERE ${[shown, ...slice].join(' AND ')} ${totalsToo('g')} ` +
          `LIMIT ${integer(SERIES_POINTS_MAX + 2 + chosen.stored.length)}${SETTINGS}`,
      ),
    )
    for (const [isTotal, number, g, ...values] of rows as readonly [number, number, number, ...unknown[]][]) {
      const value = measured.read(values as unknown as Numbers)
      if (isTotal === 1) found.totals.set(g, value)
      else found.points.set(`${number} ${g}`, { bucket: number, place: g, value })
    }
    return found
  }

  /** Priced names without a price, of all rows. */
  async #unpriced(query: ExploredQuery, { span, buckets }: Reading): Promise<readonly string[]> {
    const { measure, rates } = query
    if (!isCost(measure) || rates === null) return []
    const { from } = await this.#sourceOf(query, buckets, [span], false)
    const rows = await this.#dependencies.engine.select(
      `SELECT DISTINCT arrayJoin(${measure === 'cost_usd' ? 'usage' : 'wasted'}.model) AS used FROM ${from}${SETTINGS}`,
    )
    return rows.flatMap(([used]) => (rates.of(used as string) === null ? [used as string] : []))
  }
}

/** Rows of some spans as SQL. */
interface Source {
  /** The text after FROM. */
  readonly from: string
  readonly count: string
  readonly group: FieldGroup
  readonly measured: SqlMeasure
  /** The tokens of the rows, and the group of what a model used. */
  readonly usage: { readonly column: string; readonly group: FieldGroup; readonly isByModel?: true }
  /** The number of a row's bucket. */
  readonly bucket: string
}

/** What is read of one span: null if its buckets are not kept. */
interface Reading extends BucketedSpan {
  readonly cached: SeriesRead<Scanned> | null
}

interface Answer {
  readonly chosen: Chosen
  readonly found: Found
  /** Of the time before. */
  readonly past: Found | null
  /** Priced names without a price. */
  readonly unpriced: readonly string[]
}

/** The newest value of each row that has one: others do not count. */
function newestValues(metricId: MetricId, rows: SeriesRows, events: readonly string[]): string {
  const key = rows === 'traces' ? 'trace_id' : 'step_id'
  const conditions = [`metric_id = ${text(metricId)}`, ...events].join(' AND ')
  return `ANY INNER JOIN (SELECT ${key} AS measured_key, argMax(value, (at, id)) AS measured FROM metric_points WHERE ${conditions} GROUP BY ${key}${ALL_GROUPS}) AS newest ON id = measured_key`
}

type ScannedRow = readonly [isTotal: number, bucket: number, stored: string, ...values: readonly unknown[]]
