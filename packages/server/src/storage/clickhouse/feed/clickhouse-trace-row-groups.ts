import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import type {
  FoundStretch,
  PrintedTraces,
  StretchDetails,
  TraceRowGroups,
  TraceStretch,
} from '../../../ports/traces/trace-row-groups.ts'
import { integer, isAmong, text } from '../engine/literal.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { isUnreadRecord, parquetColumns } from '../rows/trace-parquet.ts'
import { readTraceRow } from '../rows/trace-row.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { findingTerm } from '../../../traces/rules/terms.ts'
import { dollarsExpression } from './cost-expression.ts'
import { filterConditions, tracesWithin } from './matching-traces.ts'
import { WIDENING } from './row-windows.ts'
import { hasAny } from './term-conditions.ts'

/** Of one statement, bytes: 8,000 usual rows need half of it. Of larger rows fewer are printed at once. */
const MOST_MEMORY = 80 * 1024 * 1024

const SETTINGS = [
  FINAL_SETTINGS,
  'prefer_column_name_to_alias = 1',
  'use_skip_indexes = 0',
  'precise_float_parsing = 1',
  'output_format_json_escape_forward_slashes = 0',
  `output_format_parquet_compression_method = 'snappy'`,
  'output_format_parquet_write_page_index = 0',
  'output_format_parquet_write_bloom_filter = 0',
  `max_memory_usage = ${MOST_MEMORY}`,
].join(', ')

export class ClickHouseTraceRowGroups implements TraceRowGroups {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'idLeadMs' | 'removedEvents'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'idLeadMs' | 'removedEvents'>) {
    this.#dependencies = dependencies
  }

  async findStretch({ order, after, spanMs, limit, ...query }: TraceStretch): Promise<FoundStretch> {
    const { engine } = this.#dependencies
    const leadMs = this.#dependencies.idLeadMs()
    const { startTime, endTime, throughId } = query
    const newestFirst = order === 'desc'
    const first = idAtTime('tr', startTime ?? 0)
    const end = endTime === null ? throughId : idAtTime('tr', endTime + leadMs)
    const last = end < throughId ? end : throughId
    const begin = after ?? (newestFirst ? last : first)
    const edge = idAtTime('tr', Math.max(0, timeOfId(begin) + (newestFirst ? -spanMs : spanMs)))
    const [from, to] = newestFirst ? [edge > first ? edge : first, begin] : [begin, edge < last ? edge : last]
    const stretch = { ...query, throughId: to }
    const filters = await filterConditions(this.#dependencies, stretch, from)
    const within = tracesWithin(stretch, 'id', from, leadMs)
    const conditions = [...within, ...(after === null ? [] : [`id != ${text(after)}`]), 'deleted = 0', ...filters]
    const [found] = await engine.select(
      `SELECT groupArray(id) FROM (SELECT id FROM traces FINAL ` +
        `WHERE ${conditions.join(' AND ')} ORDER BY id ${order} LIMIT ${integer(limit)}) SETTINGS ${FINAL_SETTINGS}`,
    )
    const [ids] = found as [TraceId[]]
    const isEnd = newestFirst ? from === first : to === last
    const isWhole = filters.length === 0 && (leadMs === 0 || (startTime === null && endTime === null))
    return {
      ids,
      isWhole,
      end: ids.length === limit ? (ids.at(-1) as TraceId) : isEnd ? null : edge,
    }
  }

  async detailsOf({ projectId, ids, isWhole }: Parameters<TraceRowGroups['detailsOf']>[0]): Promise<StretchDetails> {
    const { engine } = this.#dependencies
    const within = [...inSpanOf(projectId, ids), ...(isWhole ? [] : [isAmong('id', ids)])].join(' AND ')
    const [used, rows] = await Promise.all([
      engine.select(`SELECT DISTINCT arrayJoin(usage.model) FROM traces WHERE ${within}`),
      // Few have findings: the index of terms finds them.
      engine.select(
        `SELECT id, ver, record, '' FROM traces FINAL WHERE project_id = ${text(projectId)} AND deleted = 0 AND id IN ` +
          `(SELECT id FROM traces WHERE ${within} AND ${hasAny('terms', [findingTerm('any')])}) SETTINGS ${FINAL_SETTINGS}`,
      ),
    ])
    return { models: used.map(([model]) => model as string), withFindings: rows.map(readTraceRow) }
  }

  async print({ ids, ...traces }: PrintedTraces): Promise<{ file: Buffer; count: number }> {
    let record: 'record' | 'mended' = 'record'
    for (let count = ids.length; ;) {
      try {
        const file = await this.#print(firstOf({ ...traces, ids }, count), record)
        if (file.length <= traces.mostBytes || count === 1) return { file, count }
        count = Math.ceil(count / 2)
      } catch (error) {
        if (record === 'record' && isUnreadRecord(error)) record = 'mended'
        else if (isOutOfMemory(error) && count > 1) count = Math.ceil(count / WIDENING)
        else throw error
      }
    }
  }

  #print(traces: PrintedTraces, record: 'record' | 'mended'): Promise<Buffer> {
    const { projectId, ids, order, deleted, isWhole, models, rates } = traces
    const some = isWhole ? [] : [isAmong('id', ids)]
    const without = deleted.size === 0 ? [] : [`NOT ${isAmong('id', [...deleted])}`]
    return this.#dependencies.engine.selectParquet(
      `${parquetColumns(traces, dollarsExpression(models, rates), record)} FROM traces FINAL ` +
        `WHERE ${[...inSpanOf(projectId, ids), 'deleted = 0', ...some, ...without].join(' AND ')} ORDER BY id ${order} SETTINGS ${SETTINGS}`,
    )
  }
}

/** The first `count` of these traces, with the values of these alone. */
function firstOf(traces: PrintedTraces, count: number): PrintedTraces {
  const ids = traces.ids.slice(0, count)
  const among = new Set(ids)
  const ofThese = <Value>(values: ReadonlyMap<TraceId, Value>) => new Map([...values].filter(([id]) => among.has(id)))
  return { ...traces, ids, attachments: ofThese(traces.attachments), findingKinds: ofThese(traces.findingKinds) }
}

/** Bounds on the ids of these traces, which are in order. */
function inSpanOf(projectId: ProjectId, ids: readonly TraceId[]): string[] {
  const [from, to] = [ids[0] as TraceId, ids.at(-1) as TraceId].toSorted() as [TraceId, TraceId]
  return [`project_id = ${text(projectId)}`, `id >= ${text(from)}`, `id <= ${text(to)}`]
}
