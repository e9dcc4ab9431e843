import type { TraceId } from '@spoor/contract/ids'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type {
  FoundStretch,
  PrintedTraces,
  TraceRowGroups,
  TraceStretch,
} from '../../../ports/traces/trace-row-groups.ts'
import { isAmong, text } from '../engine/literal.ts'
import { isOutOfMemory } from '../engine/read-failure.ts'
import { PARSED_RECORD, parquetColumns } from '../rows/trace-parquet.ts'
import { readTraceRow, TRACE_COLUMNS } from '../rows/trace-row.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { dollarsExpression } from './cost-expression.ts'
import { filterConditions, tracesWithin } from './matching-traces.ts'
import { idAfterRows, WIDENING } from './row-windows.ts'

/** Of one statement, bytes: 5,000 usual rows need a third. Of larger rows fewer are printed at once. */
const MOST_MEMORY = 96 * 1024 * 1024

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

  async findStretch({ order, after, rows, ...query }: TraceStretch): Promise<FoundStretch> {
    const { engine, idLeadMs } = this.#dependencies
    const { projectId, startTime, endTime } = query
    const newestFirst = order === 'desc'
    const start = idAtTime('tr', startTime ?? 0)
    const end = endTime === null ? query.throughId : idAtTime('tr', endTime + idLeadMs())
    const last = end < query.throughId ? end : query.throughId
    const [lowest, highest] = newestFirst ? [start, after ?? last] : [after ?? start, last]
    const edge = await idAfterRows(engine, { projectId, lowest, highest, newestFirst }, rows)
    const [from, to] = newestFirst ? [edge ?? lowest, highest] : [lowest, edge ?? highest]
    const stretch = { ...query, throughId: to }
    const conditions = [
      ...tracesWithin(stretch, 'id', from, idLeadMs()),
      ...(after === null ? [] : [`id != ${text(after)}`]),
      'deleted = 0',
      ...(await filterConditions(this.#dependencies, stretch, from)),
    ]
    const found = await engine.select(
      `SELECT id, record LIKE '%"repeated":%' FROM traces FINAL WHERE ${conditions.join(' AND ')} ` +
        `ORDER BY id ${order} SETTINGS ${FINAL_SETTINGS}`,
    )
    const ids = found.map(([id]) => id as TraceId)
    const repeating = found.flatMap(([id, repeats]) => (repeats === 1 ? [id as TraceId] : []))
    return { ids, repeating: await this.#read(projectId, repeating), end: edge }
  }

  async #read(projectId: TraceStretch['projectId'], ids: readonly TraceId[]): Promise<readonly TraceRecord[]> {
    if (ids.length === 0) return []
    const rows = await this.#dependencies.engine.select(
      `SELECT ${TRACE_COLUMNS} FROM traces FINAL WHERE project_id = ${text(projectId)} AND ${isAmong('id', ids)} ` +
        `SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map(readTraceRow)
  }

  async print({ ids, ...traces }: PrintedTraces): Promise<{ file: Buffer; count: number }> {
    for (let count = ids.length; ; count = Math.ceil(count / WIDENING)) {
      try {
        return { file: await this.#print({ ...traces, ids: ids.slice(0, count) }), count }
      } catch (error) {
        if (!isOutOfMemory(error) || count === 1) throw error
      }
    }
  }

  async #print({ projectId, ids, order, rates, ...looked }: PrintedTraces): Promise<Buffer> {
    const { engine } = this.#dependencies
    const ends = [ids[0] as TraceId, ids.at(-1) as TraceId] as const
    const [lowestId, highestId] = order === 'asc' ? ends : (ends.toReversed() as [TraceId, TraceId])
    const cost = await dollarsExpression(engine, { projectId, lowestId, highestId }, rates)
    return engine.selectParquet(
      `WITH ${PARSED_RECORD} SELECT ${parquetColumns(looked, cost)} FROM traces FINAL ` +
        `WHERE project_id = ${text(projectId)} AND id >= ${text(lowestId)} AND id <= ${text(highestId)} ` +
        `AND ${isAmong('id', ids)} AND deleted = 0 ORDER BY id ${order} SETTINGS ${SETTINGS}`,
    )
  }
}
