import type { TraceId } from '@spoor/contract/ids'
import { filterValues } from '@spoor/contract/trace-filters'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import type { TokensOfModel } from '../../../ports/prices/price.ts'
import {
  comparePlaces,
  MOST_USERS,
  type SummaryField,
  summaryKey,
  type SummaryPageQuery,
  type SummaryPlace,
  type SummaryQuery,
  type TraceSummary,
  type TraceSummaryStore,
} from '../../../ports/traces/trace-summaries.ts'
import { sessionTerm, userTerm } from '../../../traces/rules/terms.ts'
import { integer, text } from '../engine/literal.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import type { SeriesCache } from '../series/series-cache.ts'
import { costExpression } from './cost-expression.ts'
import { beginKeptUsers, findKeptUsers } from './kept-users.ts'
import { filterConditions, tracesWithin } from './matching-traces.ts'
import { FIRST_ROWS, idAfterRows, readGroupsInHalves, WIDENING } from './row-windows.ts'
import { SORT_EXPRESSIONS, SUM_EXPRESSIONS, sumOfCosts, toFigures } from './summary-figures.ts'
import { indexHints, isOneOf } from './term-conditions.ts'

/** Texts that the engine collects for one row. Of more, the row shows any of them. */
const MOST_COLLECTED = 1000
/** Sessions or users in one statement. */
const SUMMED_TOGETHER = 100

type Dependencies = Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>

/**
 * Sessions and users over the columns `session_id` and `user_id` of `traces`. Sums of users by bucket are kept, because
 * the traces of a page of users are in all granules; those of a page of sessions are found by the index of terms.
 */
export class ClickHouseTraceSummaries implements TraceSummaryStore {
  readonly #dependencies: Dependencies
  readonly #cache: SeriesCache

  constructor(dependencies: Dependencies, cache: SeriesCache) {
    this.#dependencies = dependencies
    this.#cache = cache
  }

  async findSummaries(query: SummaryPageQuery): Promise<readonly TraceSummary[]> {
    const kept = await beginKeptUsers(this.#dependencies, this.#cache, query)
    try {
      await this.#dependencies.settled()
      const users = kept === null ? null : await findKeptUsers(this.#dependencies, query, kept)
      return users ?? (await this.#readPage(query))
    } finally {
      kept?.cached.end()
    }
  }

  async #readPage(query: SummaryPageQuery): Promise<readonly TraceSummary[]> {
    const { by, sort, order, after, limit } = query
    const given = filterValues(query.filters, by).map(String)
    const isEach = given.length > 0 && given.length <= limit && after === null
    const keys = isEach ? new Map<string, number>() : await this.#findPlaces(query)
    const values = isEach ? given : [...keys.keys()]
    const found: TraceSummary[] = []
    for (let from = 0; from < values.length; from += SUMMED_TOGETHER) {
      for (const sums of await this.#sumUp(query, values.slice(from, from + SUMMED_TOGETHER)))
        found.push({ ...sums, key: keys.get(sums.value) ?? summaryKey(sums, sort) })
    }
    return found.sort((a, b) => comparePlaces(a, b, order))
  }

  /**
   * The keys of one page, by session or user. By newest activity, each window begins with more rows before the cursor
   * than the one before, but always ends at the trace that the walk ends at: the last trace of a session is known only
   * when all later ones were read. Traces of a rare session or user are found by the index instead.
   */
  async #findPlaces(query: SummaryPageQuery): Promise<ReadonlyMap<string, number>> {
    const { engine, idLeadMs } = this.#dependencies
    const { projectId, by, sort, order, after, throughId, filters } = query
    const limit = Math.min(query.limit, filterValues(filters, by).length || Infinity)
    const indexed = FIELDS.flatMap((field) => this.#ofValues(query, field, filterValues(filters, field)))
    const lowest = idAtTime('tr', query.startTime ?? 0)
    if (sort !== 'last_at' || order === 'asc') return this.#rank({ ...query, limit }, indexed, lowest, null)
    const last = after === null ? throughId : idAtTime('tr', after.key + 1 + idLeadMs())
    const range = { projectId, lowest, highest: last < throughId ? last : throughId, newestFirst: true }
    let isRare = false
    for (let rows = FIRST_ROWS; ; rows *= WIDENING) {
      const edge = isRare ? null : await idAfterRows(engine, range, rows)
      const found = await this.#rank({ ...query, limit }, isRare ? indexed : [], edge ?? lowest, edge)
      if (edge === null || found.size === limit) return found
      isRare = indexed.length > 0 && found.size * WIDENING < limit
    }
  }

  /** Of the traces from `lowest` on. `edge`: only those whose last trace was created after this one. */
  async #rank(
    query: SummaryPageQuery,
    conditions: readonly string[],
    lowest: TraceId,
    edge: TraceId | null,
  ): Promise<ReadonlyMap<string, number>> {
    const { engine } = this.#dependencies
    const { projectId, by, sort, order, after, limit, throughId, prices } = query
    const ids = { projectId, lowestId: lowest, highestId: throughId }
    const key = SORT_EXPRESSIONS[sort] ?? sumOfCosts(await costExpression(engine, ids, prices))
    const having = [
      ...(edge === null ? [] : [`sort_key > ${integer(timeOfId(edge))}`]),
      ...(after === null ? [] : [isBehind(after, order)]),
    ]
    const found = await readGroupsInHalves(by, async (slice) => {
      const traces = await this.#traces(query, [`${by} != ''`, ...conditions, ...slice], lowest)
      const rows = await engine.select(
        `SELECT ${by} AS value, ${key} AS sort_key FROM ${traces} ` +
          `GROUP BY value${having.length === 0 ? '' : ` HAVING ${having.join(' AND ')}`} ` +
          `ORDER BY sort_key ${order}, value LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
      )
      return rows.map(([value, sortKey]) => ({ value: value as string, key: sortKey as number }))
    })
    const places = found.toSorted((a, b) => comparePlaces(a, b, order)).slice(0, limit)
    return new Map(places.map((place) => [place.value, place.key]))
  }

  async #sumUp(query: SummaryPageQuery, values: readonly string[]): Promise<readonly Omit<TraceSummary, 'key'>[]> {
    const { by, prices } = query
    const other = OTHER[by]
    // Many users have traces in most granules, unless only those of a session count.
    const conditions =
      by === 'user_id' && values.length > 1
        ? [isOneOf(by, values), ...this.#ofValues(query, other, filterValues(query.filters, other))]
        : this.#ofValues(query, by, values)
    const rows = await this.#dependencies.engine.select(
      `SELECT ${by} AS value, ${SUM_EXPRESSIONS.join(', ')}, ${USAGE}, ${OTHERS[by]} ` +
        `FROM ${await this.#traces(query, conditions)} GROUP BY value SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [usage, others] = row.slice(1 + SUM_EXPRESSIONS.length) as [Usage, number | readonly string[]]
      const figures = [...row.slice(1, 1 + SUM_EXPRESSIONS.length), prices.costKey(toUsage(usage))] as readonly number[]
      const sums = toFigures(figures)
      const isUser = typeof others === 'number'
      const named = { userIds: isUser ? [] : others, sessionCount: isUser ? others : 0 }
      return Object.assign(sums, { value: row[0] as string }, named)
    })
  }

  /** Few traces have these: their ids, by any version, let the engine read the granules of these alone. */
  #ofValues(
    { projectId, startTime, throughId }: SummaryQuery,
    field: SummaryField,
    given: ReturnType<typeof filterValues>,
  ): readonly string[] {
    if (given.length === 0) return []
    const values = given.map(String)
    const isOne = isOneOf(field, values)
    const within = [
      `project_id = ${text(projectId)}`,
      `id >= ${text(idAtTime('tr', startTime ?? 0))}`,
      `id <= ${text(throughId)}`,
      ...indexHints([values.map(TERM_OF[field])]),
      isOne,
    ]
    return [`id IN (SELECT id FROM traces WHERE ${within.join(' AND ')})`, isOne]
  }

  /** The FROM clause: the latest versions of the matching traces, from `lowest` on. */
  async #traces(
    query: SummaryQuery,
    conditions: readonly string[],
    lowest = idAtTime('tr', query.startTime ?? 0),
  ): Promise<string> {
    const all = [
      ...tracesWithin(query, 'id', lowest, this.#dependencies.idLeadMs()),
      'deleted = 0',
      ...conditions,
      ...(await filterConditions(this.#dependencies, query, lowest)),
    ]
    return `traces FINAL WHERE ${all.join(' AND ')}`
  }
}

const FIELDS = ['session_id', 'user_id'] as const satisfies readonly SummaryField[]
const OTHER: Readonly<Record<SummaryField, SummaryField>> = { session_id: 'user_id', user_id: 'session_id' }
const TERM_OF: Readonly<Record<SummaryField, (value: string) => string>> = {
  session_id: sessionTerm,
  user_id: userTerm,
}

/** The users of a session, and the number of sessions of a user. */
const OTHERS: Readonly<Record<SummaryField, string>> = {
  session_id: `arraySlice(arraySort(groupUniqArrayIf(${integer(MOST_COLLECTED)})(user_id, user_id != '')), 1, ${integer(MOST_USERS)})`,
  user_id: `uniqExactIf(session_id, session_id != '')`,
}

function isBehind({ key, value }: SummaryPlace, order: SummaryPageQuery['order']): string {
  const behind = `sort_key ${order === 'desc' ? '<' : '>'} ${integer(key)}`
  return `(${behind} OR (sort_key = ${integer(key)} AND value > ${text(value)}))`
}

/** Models, ascending, then the tokens of each. The numbers of uses come first: models with zeros alone are left out. */
const USAGE = `sumMap(${[
  `CAST(usage.model, 'Array(String)')`,
  'arrayMap(model -> 1, usage.model)',
  ...['input', 'cacheRead', 'cacheWrite', 'output'].map((kind) => `CAST(usage.tokens.${kind}, 'Array(Float64)')`),
].join(', ')})`

type Usage = readonly [models: readonly string[], uses: unknown, ...tokens: (readonly number[])[]]

function toUsage([models, , ...tokens]: Usage): readonly TokensOfModel[] {
  return models.map((model, at) => {
    const [input, cacheRead, cacheWrite, output] = tokens.map((of) => of[at]) as [number, number, number, number]
    return { model, tokens: { input, cacheRead, cacheWrite, output } }
  })
}
