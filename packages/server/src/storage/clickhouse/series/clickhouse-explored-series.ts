import type { MetricId } from '@spoor/contract/ids'
import { SERIES_POINTS_MAX } from '@spoor/contract/limits'
import type { SeriesRows } from '@spoor/contract/series-fields'
import { stepBoundsAmong, stepFilters, traceBounds } from '@spoor/contract/trace-filters'
import { modelOfPriced } from '../../../ports/prices/price.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import { bucketStart } from '../../../lib/time/time-buckets.ts'
import { invalid } from '../../../lib/validation/validation-failed.ts'
import type {
  BucketedSpan,
  ExploredGroup,
  ExploredPoint,
  ExploredQuery,
  ExploredSeries,
  ExploredSeriesStore,
  ExploredValue,
} from '../../../ports/traces/explored-series.ts'
import { costExpression } from '../feed/cost-expression.ts'
import { filterConditions, matchingSteps } from '../feed/matching-traces.ts'
import { stepConditions } from '../feed/step-conditions.ts'
import { integer, text } from '../engine/literal.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import { FINAL_SETTINGS, idsWithin } from './aggregate-rows.ts'
import { timeBucketExpression, tooManyPoints } from './bucketed-rows.ts'
import { type ChosenGroups, placesOfRow } from './chosen-groups.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { withoutDeleted } from './deleted-events.ts'
import type { Numbers } from './numeric-aggregates.ts'
import { groupOf, type SqlField, sqlField } from './series-groups.ts'
import { isCost, sqlMeasure, type SqlMeasure } from './series-measures.ts'

/** More groups are not compared with each other. */
const MOST_COMPARED = 10_000

/** Each group by bucket and, merged from these, over the whole time. Grouping sets aggregate every row twice. */
const totalsToo = (group: 'g' | 'h') => `GROUP BY ${group}, b WITH ROLLUP HAVING grouping(${group}) = 0`

const SETTINGS = ` SETTINGS ${FINAL_SETTINGS}, optimize_arithmetic_operations_in_aggregate_functions = 0`

/**
 * Series of any measure by any field over the tables `traces` and `steps`: one query finds the groups that are shown,
 * another their numbers in each bucket and over the whole time. Nothing is kept between reads.
 */
export class ClickHouseExploredSeries implements ExploredSeriesStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  async exploredSeries(query: ExploredQuery): Promise<ExploredSeries> {
    await this.#dependencies.settled()
    const now = await this.#sourceOf(query, query)
    const before = query.previous === null ? null : await this.#sourceOf(query, query.previous)
    const { chosen, found, past } = await this.#chooseAndRead(query, now, before)
    const keys = new Set([...found.points.keys(), ...(past?.points.keys() ?? [])])
    if (keys.size > SERIES_POINTS_MAX) throw tooManyPoints()
    return {
      ...toSeries(query, chosen, found, past),
      groupsLeftOut: chosen?.leftOut ?? 0,
      unpricedModels: await this.#unpriced(query, now),
    }
  }

  /** The rows of one span, and what is aggregated of them. */
  async #sourceOf(query: ExploredQuery, { span, buckets }: BucketedSpan): Promise<Source> {
    const { engine, removedEvents, idLeadMs } = this.#dependencies
    const { projectId, filters, rates, throughId, rows, groupBy, measure } = query
    const isBounded = [...traceBounds(filters), ...stepBoundsAmong(filters)].some(({ measure: of }) =>
      of.endsWith('cost_usd'),
    )
    const within = { ...query, ...span, rates: isBounded ? rates : null }
    const lowest = idAtTime('tr', span.startTime)
    const ids = { projectId, lowestId: lowest, highestId: throughId }
    const stepCost =
      rates !== null && (isBounded || rows === 'steps') ? await costExpression(engine, ids, rates, 'steps') : null
    // Rows of one span need no comparison of ids, which takes longer than all other columns together.
    const idsOf = (id: 'id' | 'trace_id') => idsWithin(id, projectId, [span], idLeadMs())
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
    if (model !== -1) fields[model] = { ...(fields[model] as SqlField), values: 'by_model', many: false }
    const column = measure === 'wasted_cost_usd' ? 'wasted' : 'usage'
    const cost =
      rates === null || rows === 'steps'
        ? stepCost
        : await costExpression(engine, ids, rates, 'traces', model === -1 ? null : 'by_model', column)
    const measured = sqlMeasure(query, cost)
    const deleted = rows === 'steps' ? await withoutDeleted(this.#dependencies, projectId, 'steps') : null
    const conditions =
      rows === 'steps' ? (await matchingSteps(this.#dependencies, within, lowest, deleted, idsOf)).conditions : traces
    const joins = [
      ...fields.flatMap(({ join }) => join ?? []),
      ...(typeof measure === 'object' ? [newestValues(measure.metricId, rows, events)] : []),
    ].join(' ')
    const known = measured.known.join(' AND ')
    const isKnown = known === '' || model !== -1 ? [] : [known]
    const from = `(SELECT * FROM ${rows} FINAL WHERE ${[...conditions, ...isKnown].join(' AND ')}) AS kept ${joins}`
    const byModel = `(SELECT *, arrayJoin(models) AS by_model FROM ${from})`
    return {
      from: model === -1 ? from : `(SELECT * FROM ${byModel} WHERE ${known || '1'}) AS each`,
      // Groups that are not shown may have several models of a trace.
      count: model === -1 ? 'count()' : 'uniqExact(id)',
      fields,
      measured,
      bucket: timeBucketExpression(rows === 'traces' ? 'created_at' : 'trace_created_at', buckets),
      at: { span, buckets },
    }
  }

  /** Mostly all groups are shown: then one query finds them and their numbers. Groups are null without fields. */
  async #chooseAndRead(query: ExploredQuery, now: Source, before: Source | null) {
    const read = async (chosen: Chosen | null) => ({
      chosen,
      found: await this.#read(now, chosen),
      past: before && (await this.#read(before, chosen)),
    })
    if (query.groupBy.length === 0) return read(null)
    const all = await this.#readAll(now)
    const allBefore = before && all && (await this.#readAll(before))
    const ranks = async (source: Source | null, scan: Scan | null) =>
      source === null ? NONE : (scan?.ranking ?? (await this.#rank(query, source)))
    const chosen = this.#choose(query, now, await ranks(now, all), await ranks(before, allBefore))
    const isWhole = chosen.leftOut === 0 && all !== null && (before === null || allBefore !== null)
    if (!isWhole) return read(chosen)
    return { chosen, found: placed(all, chosen), past: allBefore && placed(allBefore, chosen) }
  }

  /**
   * The numbers of all groups; null if there are too many. Rows are grouped by the hash of their value: with a text and
   * a number as keys, the engine takes twice the time.
   */
  async #readAll({ from, fields, measured, count, bucket, at }: Source): Promise<Scan | null> {
    const rows = await this.#dependencies.engine.select(
      `SELECT grouping(b), b, toString(any(g)), ${[measured.weight, count, ...measured.expressions].join(', ')} ` +
        `FROM (SELECT *, ${bucket} AS b, ${groupOf(fields).expression} AS g, cityHash64(g) AS h FROM ${from}) ${totalsToo('h')}` +
        `${SETTINGS}, max_rows_to_group_by = ${integer(SERIES_POINTS_MAX)}, group_by_overflow_mode = 'break'`,
    )
    if (rows.length >= SERIES_POINTS_MAX) return null
    const scan = { at, points: new Map<string, ScannedPoint>(), totals: new Map<string, ExploredValue>() }
    const groups = new Map<string, Rank>()
    for (const [isTotal, number, stored, weight, n, ...values] of rows as readonly ScannedRow[]) {
      const value = measured.read([n, ...values] as unknown as Numbers)
      if (isTotal === 1) {
        scan.totals.set(stored, value)
        groups.set(stored, { weight, count: n })
      } else scan.points.set(`${number} ${stored}`, { bucket: number, stored, value })
    }
    return { ...scan, ranking: { groups, all: groups.size } }
  }

  /** The groups that are shown. */
  #choose({ order, limit }: ExploredQuery, now: Source, found: Ranking, past: Ranking): Chosen {
    const isCut = found.all > found.groups.size || past.all > past.groups.size
    if (order === 'change' && isCut) {
      const detail = `Only ${MOST_COMPARED} groups can be ordered by change. Add filters, or order them by value.`
      throw invalid({ pointer: '?order', code: 'too_many', detail })
    }
    const all = [...new Set([...found.groups.keys(), ...past.groups.keys()])].map((stored) => {
      const [a, b] = [found.groups.get(stored) ?? NO_RANK, past.groups.get(stored) ?? NO_RANK]
      const change = Math.abs((a.weight ?? 0) - (b.weight ?? 0))
      const weight = order === 'change' ? change : order === 'count' ? a.count : (a.weight ?? -Infinity)
      return { stored, weight, count: a.count }
    })
    all.sort((a, b) => compareNumbers(b.weight, a.weight) || b.count - a.count || (a.stored < b.stored ? -1 : 1))
    const stored = all.slice(0, limit).map((group) => group.stored)
    const group = groupOf(now.fields)
    return {
      group,
      toLabels: group.toLabels,
      stored,
      leftOut: Math.max(found.all, past.all, all.length) - stored.length,
    }
  }

  async #rank({ order, limit }: ExploredQuery, { from, fields, measured, count }: Source): Promise<Ranking> {
    const { expression } = groupOf(fields)
    const weight = order === 'count' ? count : measured.weight
    const found = await this.#dependencies.engine.select(
      `SELECT toString(g), ${weight} AS w, ${count} AS n, count() OVER () FROM (SELECT *, ${expression} AS g FROM ${from}) ` +
        `GROUP BY g ORDER BY w DESC, n DESC, g LIMIT ${integer(order === 'change' ? MOST_COMPARED : limit)}${SETTINGS}`,
    )
    const groups = found.map(([g, w, n]) => [g as string, { weight: w as number | null, count: n as number }] as const)
    return { groups: new Map(groups), all: (found[0]?.[3] as number | undefined) ?? 0 }
  }

  /** The numbers of each group in each bucket and over the whole span. */
  async #read({ from, measured, count, bucket, at }: Source, chosen: Chosen | null): Promise<Found> {
    const found: Found = { at, points: new Map(), totals: new Map() }
    if (chosen?.stored.length === 0) return found
    const place = chosen === null ? '1' : placesOfRow(chosen)
    const shown = chosen === null || chosen.leftOut > 0 ? '' : ' WHERE g > 0'
    const rows = await this.#dependencies.engine.select(
      `SELECT grouping(b), b, g, ${[count, ...measured.expressions].join(', ')} ` +
        `FROM (SELECT *, ${bucket} AS b, toUInt32(${place}) AS g FROM ${from})${shown} ${totalsToo('g')} ` +
        `LIMIT ${integer(SERIES_POINTS_MAX + 2 + (chosen?.stored.length ?? 0))}${SETTINGS}`,
    )
    for (const [isTotal, number, g, ...values] of rows as readonly [number, number, number, ...unknown[]][]) {
      const value = measured.read(values as unknown as Numbers)
      if (isTotal === 1) found.totals.set(g, value)
      else found.points.set(`${number} ${g}`, { bucket: number, place: g, value })
    }
    return found
  }

  async #unpriced({ measure, rates }: ExploredQuery, { from }: Source): Promise<readonly string[]> {
    if (!isCost(measure) || rates === null) return []
    const rows = await this.#dependencies.engine.select(
      `SELECT DISTINCT arrayJoin(${measure === 'cost_usd' ? 'usage' : 'wasted'}.model) AS used FROM ${from}${SETTINGS}`,
    )
    const unpriced = rows.flatMap(([used]) => (rates.of(used as string) === null ? [used as string] : []))
    return [...new Set(unpriced.map((used) => modelOfPriced(used).model))].sort()
  }
}

/** Rows of one span as SQL. */
interface Source {
  /** The text after FROM. */
  readonly from: string
  readonly count: string
  readonly fields: readonly SqlField[]
  readonly measured: SqlMeasure
  /** The number of a row's bucket. */
  readonly bucket: string
  readonly at: BucketedSpan
}

interface Chosen extends ChosenGroups {
  readonly toLabels: (stored: string) => readonly (string | null)[]
}

interface Rank {
  readonly weight: number | null
  readonly count: number
}

interface Ranking {
  readonly groups: ReadonlyMap<string, Rank>
  /** The number of all groups. */
  readonly all: number
}

const NONE: Ranking = { groups: new Map(), all: 0 }
const NO_RANK: Rank = { weight: null, count: 0 }

/** Groups by their places, counted from 1; 0 are all that are not shown. */
interface Found {
  readonly at: BucketedSpan
  readonly points: Map<string, { readonly bucket: number; readonly place: number; readonly value: ExploredValue }>
  readonly totals: Map<number, ExploredValue>
}

/** The newest value of each row that has one: others do not count. */
function newestValues(metricId: MetricId, rows: SeriesRows, events: readonly string[]): string {
  const key = rows === 'traces' ? 'trace_id' : 'step_id'
  const conditions = [`metric_id = ${text(metricId)}`, ...events].join(' AND ')
  return `ANY INNER JOIN (SELECT ${key} AS measured_key, argMax(value, (at, id)) AS measured FROM metric_points WHERE ${conditions} GROUP BY ${key}) AS newest ON id = measured_key`
}

interface ScannedPoint {
  readonly bucket: number
  readonly stored: string
  readonly value: ExploredValue
}

type ScannedRow = readonly [
  isTotal: number,
  bucket: number,
  stored: string,
  weight: number | null,
  count: number,
  ...values: readonly unknown[],
]

/** Groups by their stored values. */
interface Scan {
  readonly at: BucketedSpan
  readonly points: ReadonlyMap<string, ScannedPoint>
  readonly totals: ReadonlyMap<string, ExploredValue>
  readonly ranking: Ranking
}

/** `chosen` has all groups. */
function placed({ at, points, totals }: Scan, chosen: Chosen): Found {
  const places = new Map(chosen.stored.map((stored, index) => [stored, index + 1]))
  const found: Found = { at, points: new Map(), totals: new Map() }
  for (const { bucket, stored, value } of points.values()) {
    const place = places.get(stored) as number
    found.points.set(`${bucket} ${place}`, { bucket, place, value })
  }
  for (const [stored, value] of totals) found.totals.set(places.get(stored) as number, value)
  return found
}

/** What is there in one of the times is a point or group of both. */
function toSeries(
  { stat }: ExploredQuery,
  chosen: Chosen | null,
  now: Found,
  before: Found | null,
): Pick<ExploredSeries, 'points' | 'groups'> {
  const none: ExploredValue = { count: 0, value: stat === 'sum' || stat === 'count' ? 0 : null }
  const shown = chosen === null ? [1] : chosen.stored.map((_, at) => at + 1)
  const places = chosen === null || chosen.leftOut === 0 ? shown : [...shown, 0]
  const groupAt = (place: number, value?: ExploredValue, past?: ExploredValue): ExploredGroup => ({
    values: chosen === null || place === 0 ? [] : chosen.toLabels(chosen.stored[place - 1] as string),
    other: place === 0,
    now: value ?? none,
    previous: before === null ? null : (past ?? none),
  })
  const keys = new Map([...(before?.points ?? []), ...now.points])
  const rank = (place: number) => (place === 0 ? places.length : place)
  const ordered = [...keys].sort(([, a], [, b]) => a.bucket - b.bucket || rank(a.place) - rank(b.place))
  return {
    groups: places.map((place) => groupAt(place, now.totals.get(place), before?.totals.get(place))),
    points: ordered.map(([key, { bucket, place }]): ExploredPoint => {
      const group = groupAt(place, now.points.get(key)?.value, before?.points.get(key)?.value)
      const previousAt = before === null ? null : bucketStart(before.at.buckets, bucket)
      return Object.assign(group, { at: bucketStart(now.at.buckets, bucket), previousAt })
    }),
  }
}

/** `a - b` without the difference of two infinities. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a - b
}
