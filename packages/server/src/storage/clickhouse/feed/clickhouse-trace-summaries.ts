import type { TraceId } from '@spoor/contract/ids'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
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
import { sessionTerm, userTerm } from '../../../traces/intake/terms.ts'
import { integer, isAmong, text, texts } from '../engine/literal.ts'
import { TRACE_RECORD } from '../rows/trace-row.ts'
import { createdIn, eventOfTraceConditions, FINAL_SETTINGS, traceConditions } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { costExpression } from './cost-expression.ts'
import { termConditions } from './term-conditions.ts'
import { hasNameWords, hasWords } from './word-conditions.ts'

const HOUR_MS = 3_600_000
/** Texts that the engine collects for one row. Of more, the row shows any of them. */
const MOST_COLLECTED = 1000
/**
 * How far before the cursor sessions are looked for, one width after the other until a page is full. A read of all
 * traces takes as long as some ten pages of the list; the newest hour of a busy project has a page.
 */
const WIDTHS_MS = [HOUR_MS, 12 * HOUR_MS, 8 * 24 * HOUR_MS, Infinity]

/** Sessions and users over the columns `session_id` and `user_id` of `traces`, and the steps of their traces. */
export class ClickHouseTraceSummaries implements TraceSummaryStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs'>) {
    this.#dependencies = dependencies
  }

  /**
   * The last trace of a session is known only when all later traces were read, up to the one that the walk ends at: so
   * a window begins at any time, but always ends there.
   */
  async findSummaries(query: SummaryPageQuery): Promise<readonly SummaryPlace[]> {
    const { engine } = this.#dependencies
    const { by, before, limit, throughId } = query
    await this.#dependencies.settled()
    const from = timeOfId(before ?? throughId)
    const later = before === null ? '' : ` HAVING last < ${text(before)}`
    for (const width of WIDTHS_MS) {
      const lowestMs = Math.max(0, from - width, query.startTime ?? 0)
      const rows = await engine.select(
        `SELECT ${by} AS value, max(id) AS last FROM ${await this.#traces(query, [`${by} != ''`], lowestMs)} ` +
          `GROUP BY value${later} ORDER BY last DESC LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
      )
      const isAll = lowestMs <= (query.startTime ?? 0)
      if (isAll || rows.length === limit)
        return rows.map(([value, last]) => ({ value: value as string, lastTraceId: last as TraceId }))
    }
    throw new Error('the last width is infinite')
  }

  async sumUp(query: SummaryQuery, values: readonly string[]): Promise<readonly TraceSummary[]> {
    const { by } = query
    await this.#dependencies.settled()
    const other = OTHER[by]
    const rows = await this.#dependencies.engine.select(
      `SELECT ${by} AS value, toUnixTimestamp64Milli(min(created_at)), toUnixTimestamp64Milli(max(created_at)), count(), ` +
        `sum(step_count), countIf(status = 'error'), ${SUMS.join(', ')}, uniqExactIf(${other}, ${other} != ''), ` +
        `arraySlice(arraySort(groupUniqArrayIf(${integer(MOST_COLLECTED)})(${other}, ${other} != '')), 1, ${integer(MOST_OTHERS)}) ` +
        `FROM ${await this.#traces(query, isOneOf(by, values))} GROUP BY value SETTINGS ${FINAL_SETTINGS}`,
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
    const traces = await this.#traces(query, isOneOf(by, values))
    // If a client reports more cached tokens than input, its steps are priced as they would be individually.
    const tokens = [
      'greatest(input_tokens, cache_read_tokens + cache_write_tokens)',
      ...PRICED.map((kind) => `${kind}_tokens`),
    ]
    const steps =
      `SELECT trace_id, toString(model) AS used, ${tokens.map((kind, at) => `toFloat64(${kind}) AS n${at}`).join(', ')} ` +
      `FROM steps FINAL WHERE project_id = ${text(query.projectId)} AND trace_id IN (SELECT id FROM ${traces}) AND model != ''`
    // Of one session or user it is known whose traces they are.
    const [one] = values.length === 1 ? values : []
    const owners = `INNER JOIN (SELECT id, ${by} AS value FROM ${traces}) AS newest ON steps.trace_id = newest.id`
    const rows = await this.#dependencies.engine.select(
      `SELECT ${one === undefined ? 'value' : text(one)} AS owner, used, ` +
        `${tokens.map((_kind, at) => `sum(n${at})`).join(', ')} FROM (${steps}) AS steps ` +
        `${one === undefined ? owners : ''} GROUP BY owner, used SETTINGS ${FINAL_SETTINGS}`,
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

  /** What follows FROM: the latest versions of the traces that pass, created at `lowestMs` or later. */
  async #traces(query: SummaryQuery, conditions: readonly string[], lowestMs = query.startTime ?? 0): Promise<string> {
    const { filters, words, among, startTime, endTime, throughId } = query
    const lead = this.#dependencies.idLeadMs()
    const within = (id: 'id' | 'trace_id') => [
      `project_id = ${text(query.projectId)}`,
      `${id} >= ${text(idAtTime('tr', lowestMs))}`,
      `${id} <= ${text(throughId)}`,
      ...(endTime === null ? [] : [`${id} < ${text(idAtTime('tr', endTime + lead))}`]),
      ...(lead > 0 ? createdIn(id, { startTime, endTime }) : []),
    ]
    const ids = { lowestId: idAtTime('tr', lowestMs), highestId: throughId }
    const { projectId, rates } = query
    const cost = rates === null ? null : await costExpression(this.#dependencies.engine, { projectId, ...ids }, rates)
    const all = [...within('id'), 'deleted = 0', ...conditions, ...traceConditions(filters, cost)]
    if (among !== null) all.push(isAmong('id', among))
    all.push(...eventOfTraceConditions(query, ids))
    if (words !== null) {
      const steps = [...within('trace_id'), hasWords(words)].join(' AND ')
      all.push(`(${hasNameWords(words)} OR id IN (SELECT DISTINCT trace_id FROM steps WHERE ${steps}))`)
    }
    return `traces FINAL WHERE ${all.join(' AND ')}`
  }
}

const OTHER: Readonly<Record<SummaryField, SummaryField>> = { session_id: 'user_id', user_id: 'session_id' }
const TERM_OF: Readonly<Record<SummaryField, (value: string) => string>> = {
  session_id: sessionTerm,
  user_id: userTerm,
}

/** The index of terms finds the rows; a term may be a hash. */
function isOneOf(by: SummaryField, values: readonly string[]): readonly string[] {
  return [...termConditions([values.map(TERM_OF[by])]), `${by} IN (${texts(values)})`]
}

const PRICED = ['cache_read', 'cache_write', 'output'] as const

/** Only `record` has the tokens of reasoning. Its places count from 1. */
const REASONING = TRACE_RECORD.fields.indexOf('tokenUsage.reasoning') + 1

const SUMS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  `JSONExtractUInt(record, ${REASONING})`,
].map((tokens) => `sum(toFloat64(${tokens}))`)
