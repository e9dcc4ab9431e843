import type { TraceId } from '@spoor/contract/ids'
import { filterValues } from '@spoor/contract/trace-filters'
import { idAtTime } from '../../../lib/ids/ids.ts'
import {
  MOST_OTHERS,
  type SummaryField,
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
import { filterConditions, tracesWithin } from './matching-traces.ts'
import { FIRST_ROWS, idAfterRows, WIDENING } from './row-windows.ts'
import { indexHints, isOneOf } from './term-conditions.ts'

/** Texts that the engine collects for one row. Of more, the row shows any of them. */
const MOST_COLLECTED = 1000

/** Sessions and users over the columns `session_id` and `user_id` of `traces`. */
export class ClickHouseTraceSummaries implements TraceSummaryStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>) {
    this.#dependencies = dependencies
  }

  /**
   * The last trace of a session is known only when all later traces were read, up to the one that the walk ends at: so
   * each window begins with more rows before the cursor than the one before, but always ends there. Traces of a rare
   * session or user are found by the index instead.
   */
  async findSummaries(query: SummaryPageQuery): Promise<readonly SummaryPlace[]> {
    const { engine } = this.#dependencies
    const { projectId, by, before, throughId, filters } = query
    const limit = Math.min(query.limit, filterValues(filters, by).length || Infinity)
    const indexed = FIELDS.flatMap((field) => this.#ofValues(query, field, filterValues(filters, field)))
    await this.#dependencies.settled()
    const lowest = idAtTime('tr', query.startTime ?? 0)
    const range = { projectId, lowest, highest: before ?? throughId, newestFirst: true }
    const later = before === null ? '' : ` HAVING last < ${text(before)}`
    let isRare = false
    for (let rows = FIRST_ROWS; ; rows *= WIDENING) {
      const edge = isRare ? null : await idAfterRows(engine, range, rows)
      const conditions = [`${by} != ''`, ...(isRare ? indexed : [])]
      const found = await engine.select(
        `SELECT ${by} AS value, max(id) AS last FROM ${await this.#traces(query, conditions, edge ?? lowest)} ` +
          `GROUP BY value${later} ORDER BY last DESC LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
      )
      if (edge === null || found.length === limit)
        return found.map(([value, last]) => ({ value: value as string, lastTraceId: last as TraceId }))
      isRare = indexed.length > 0 && found.length * WIDENING < limit
    }
  }

  async sumUp(query: SummaryQuery, values: readonly string[]): Promise<readonly TraceSummary[]> {
    const { by } = query
    await this.#dependencies.settled()
    const other = OTHER[by]
    // Many users have traces in most granules, unless only those of a session count.
    const conditions =
      by === 'user_id' && values.length > 1
        ? [isOneOf(by, values), ...this.#ofValues(query, other, filterValues(query.filters, other))]
        : this.#ofValues(query, by, values)
    const rows = await this.#dependencies.engine.select(
      `SELECT ${by} AS value, toUnixTimestamp64Milli(min(created_at)), toUnixTimestamp64Milli(max(created_at)), count(), ` +
        `sum(step_count), countIf(status = 'error'), ${SUMS.join(', ')}, ${USAGE}, uniqExactIf(${other}, ${other} != ''), ` +
        `arraySlice(arraySort(groupUniqArrayIf(${integer(MOST_COLLECTED)})(${other}, ${other} != '')), 1, ${integer(MOST_OTHERS)}) ` +
        `FROM ${await this.#traces(query, conditions)} GROUP BY value SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [value, firstAt, lastAt, traceCount, stepCount, errorCount] = row as Head
      const [input, output, cacheRead, cacheWrite, reasoning] = row.slice(6) as [number, number, number, number, number]
      const [usage, count, first] = row.slice(6 + SUMS.length) as [Usage, number, readonly string[]]
      const tokenUsage = { input, output, cacheRead, cacheWrite, reasoning }
      const sums = { firstAt, lastAt, traceCount, stepCount, errorCount, tokenUsage, usage: toUsage(usage) }
      return Object.assign(sums, { value, others: { count, first } })
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

/** Models, ascending, then the tokens of each. The numbers of uses come first: models with zeros alone are left out. */
const USAGE = `sumMap(${[
  `CAST(usage.model, 'Array(String)')`,
  'arrayMap(model -> 1, usage.model)',
  ...['input', 'cacheRead', 'cacheWrite', 'output'].map((kind) => `CAST(usage.tokens.${kind}, 'Array(Float64)')`),
].join(', ')})`

type Head = readonly [value: string, first: number, last: number, traces: number, steps: number, errors: number]
type Usage = readonly [models: readonly string[], uses: unknown, ...tokens: (readonly number[])[]]

function toUsage([models, , ...tokens]: Usage): TraceSummary['usage'] {
  return models.map((model, at) => {
    const [input, cacheRead, cacheWrite, output] = tokens.map((of) => of[at]) as [number, number, number, number]
    return { model, tokens: { input, cacheRead, cacheWrite, output } }
  })
}

const SUMS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'].map(
  (kind) => `sum(toFloat64(${kind}_tokens))`,
)
