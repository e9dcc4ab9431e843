import type { TraceId } from '@spoor/contract/ids'
import { idAtTime } from '../../../lib/ids/ids.ts'
import {
  MOST_OTHERS,
  type SummaryField,
  type SummaryPageQuery,
  type SummaryPlace,
  type SummaryQuery,
  type SummaryTokens,
  type TraceSummary,
  type TraceSummaryStore,
} from '../../../ports/traces/trace-summaries.ts'
import { sessionTerm, userTerm } from '../../../traces/rules/terms.ts'
import { integer, isAmong, text } from '../engine/literal.ts'
import {
  createdIn,
  eventOfTraceConditions,
  FINAL_SETTINGS,
  metadataHints,
  traceConditions,
} from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { costExpression } from './cost-expression.ts'
import { FIRST_ROWS, idAfterRows, WIDENING } from './row-windows.ts'
import { indexHints, isOneOf } from './term-conditions.ts'
import { hasWordsAnywhere } from './word-conditions.ts'

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
   * each window begins with more rows before the cursor than the one before, but always ends there.
   */
  async findSummaries(query: SummaryPageQuery): Promise<readonly SummaryPlace[]> {
    const { engine } = this.#dependencies
    const { projectId, by, before, limit, throughId } = query
    await this.#dependencies.settled()
    const lowest = idAtTime('tr', query.startTime ?? 0)
    const range = { projectId, lowest, highest: before ?? throughId, newestFirst: true }
    const later = before === null ? '' : ` HAVING last < ${text(before)}`
    for (let rows = FIRST_ROWS; ; rows *= WIDENING) {
      const edge = await idAfterRows(engine, range, rows)
      const found = await engine.select(
        `SELECT ${by} AS value, max(id) AS last FROM ${await this.#traces(query, [`${by} != ''`], edge ?? lowest)} ` +
          `GROUP BY value${later} ORDER BY last DESC LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
      )
      if (edge === null || found.length === limit)
        return found.map(([value, last]) => ({ value: value as string, lastTraceId: last as TraceId }))
    }
  }

  async sumUp(query: SummaryQuery, values: readonly string[]): Promise<readonly TraceSummary[]> {
    const { by } = query
    await this.#dependencies.settled()
    const other = OTHER[by]
    const rows = await this.#dependencies.engine.select(
      `SELECT ${by} AS value, toUnixTimestamp64Milli(min(created_at)), toUnixTimestamp64Milli(max(created_at)), count(), ` +
        `sum(step_count), countIf(status = 'error'), ${SUMS.join(', ')}, uniqExactIf(${other}, ${other} != ''), ` +
        `arraySlice(arraySort(groupUniqArrayIf(${integer(MOST_COLLECTED)})(${other}, ${other} != '')), 1, ${integer(MOST_OTHERS)}) ` +
        `FROM ${await this.#traces(query, this.#ofValues(query, values))} GROUP BY value SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [value, firstAt, lastAt, traceCount, stepCount, errorCount] = row as [string, ...number[]]
      const [input, output, cacheRead, cacheWrite, reasoning] = row.slice(6) as [number, number, number, number, number]
      const [count, first] = row.slice(6 + SUMS.length) as [number, readonly string[]]
      return {
        value,
        firstAt: firstAt as number,
        lastAt: lastAt as number,
        traceCount: traceCount as number,
        stepCount: stepCount as number,
        errorCount: errorCount as number,
        tokenUsage: { input, output, cacheRead, cacheWrite, reasoning },
        others: { count, first },
      }
    })
  }

  async tokensUsed(query: SummaryQuery, values: readonly string[]): Promise<readonly SummaryTokens[]> {
    const { by } = query
    await this.#dependencies.settled()
    const sums = PRICED.map((kind) => `sum(toFloat64(used.tokens.${kind}))`)
    const rows = await this.#dependencies.engine.select(
      `SELECT owner, used.model AS model, ${sums.join(', ')} FROM (SELECT ${by} AS owner, usage ` +
        `FROM ${await this.#traces(query, this.#ofValues(query, values))}) ARRAY JOIN usage AS used ` +
        `GROUP BY owner, model SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map((row) => {
      const [value, model, input, cacheRead, cacheWrite, output] = row as [
        string,
        string,
        number,
        number,
        number,
        number,
      ]
      return { value, model, tokens: { input, cacheRead, cacheWrite, output } }
    })
  }

  /**
   * One user or sessions have few traces: their ids, by any version, let the engine read the granules of these alone.
   * Many users have traces in most granules.
   */
  #ofValues({ projectId, by, startTime, throughId }: SummaryQuery, values: readonly string[]): readonly string[] {
    const isOne = isOneOf(by, values)
    if (by === 'user_id' && values.length > 1) return [isOne]
    const within = [
      `project_id = ${text(projectId)}`,
      `id >= ${text(idAtTime('tr', startTime ?? 0))}`,
      `id <= ${text(throughId)}`,
      ...indexHints([values.map(TERM_OF[by])]),
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
    const { filters, words, among, startTime, endTime, throughId } = query
    const lead = this.#dependencies.idLeadMs()
    const within = (id: 'id' | 'trace_id') => [
      `project_id = ${text(query.projectId)}`,
      `${id} >= ${text(lowest)}`,
      `${id} <= ${text(throughId)}`,
      ...(endTime === null ? [] : [`${id} < ${text(idAtTime('tr', endTime + lead))}`]),
      ...(lead > 0 ? createdIn(id, { startTime, endTime }) : []),
    ]
    const ids = { lowestId: lowest, highestId: throughId }
    const { projectId, rates } = query
    const cost = rates === null ? null : await costExpression(this.#dependencies.engine, { projectId, ...ids }, rates)
    const all = [
      ...within('id'),
      'deleted = 0',
      ...conditions,
      ...traceConditions(filters, cost),
      ...metadataHints(filters),
    ]
    if (among !== null) all.push(isAmong('id', among))
    all.push(...eventOfTraceConditions(query, ids))
    if (words !== null) all.push(hasWordsAnywhere(words, within('trace_id')))
    return `traces FINAL WHERE ${all.join(' AND ')}`
  }
}

const OTHER: Readonly<Record<SummaryField, SummaryField>> = { session_id: 'user_id', user_id: 'session_id' }
const TERM_OF: Readonly<Record<SummaryField, (value: string) => string>> = {
  session_id: sessionTerm,
  user_id: userTerm,
}

const PRICED = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

const SUMS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'].map(
  (kind) => `sum(toFloat64(${kind}_tokens))`,
)
