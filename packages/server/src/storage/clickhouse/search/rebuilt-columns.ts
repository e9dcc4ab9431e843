import { stepSearchText } from '../../../traces/intake/prepare-step.ts'
import type { SearchableStep } from '../../../traces/intake/searchable-texts.ts'
import { termsWithInherited } from '../../../traces/intake/terms.ts'
import { text, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { readTraceRow, storedTerms, TRACE_COLUMNS } from '../rows/trace-row.ts'
import type { SearchedTable } from './stale-rows.ts'

/** The rebuilt search columns of one row. */
export interface RebuiltRow {
  /** The key of the row, as printed by `rowKey`. */
  readonly row: string
  readonly terms?: readonly string[]
  readonly text?: string
}

/** How the search column of a table is rebuilt. */
export interface ColumnRebuilder {
  /** The column that depends on the search rules. */
  readonly column: 'terms' | 'text'
  /** SQL of a text that identifies a row. */
  readonly rowKey: string
  /** SQL of the number of bytes read to rebuild a row. */
  readonly bytes: string
  /** Rebuilds rows of one part, given by their keys. */
  readonly rebuild: (engine: Select, part: string, rows: readonly string[]) => Promise<readonly RebuiltRow[]>
}

type Select = Pick<TelemetryEngine, 'select'>

export const COLUMN_REBUILDERS: Readonly<Record<SearchedTable, ColumnRebuilder>> = {
  traces: {
    column: 'terms',
    rowKey: `concat(id, ' ', toString(ver))`,
    bytes: 'length(metadata)',
    async rebuild(engine, part, rows) {
      const ids = texts(rows.map((row) => row.slice(0, row.indexOf(' '))))
      const found = await engine.select(
        `SELECT ${TRACE_COLUMNS} FROM traces WHERE _part = ${text(part)} AND id IN (${ids})`,
      )
      return found
        .map(readTraceRow)
        .map((trace) => ({ row: `${trace.id} ${trace.version}`, terms: storedTerms(trace) }))
    },
  },
  steps: {
    column: 'text',
    rowKey: `concat(trace_id, ' ', toString(position))`,
    bytes: 'body_bytes',
    async rebuild(engine, part, rows) {
      const places = rows.map((row) => row.split(' ') as [string, string])
      const found = await engine.select(
        `SELECT ${this.rowKey}, name, body FROM steps WHERE _part = ${text(part)} ` +
          `AND (trace_id, position) IN (${places.map(([id, position]) => `(${text(id)}, ${position})`).join(', ')})`,
      )
      return found.map(([row, name, body]) => {
        const { messages, error } = JSON.parse(body as string) as Omit<SearchableStep, 'name'>
        return { row: row as string, text: stepSearchText({ name: name as string, messages, error }) }
      })
    },
  },
  metric_points: {
    column: 'terms',
    rowKey: 'id',
    bytes: '256',
    async rebuild(engine, part, rows) {
      const points = `SELECT project_id, trace_id, id FROM metric_points WHERE _part = ${text(part)} AND id IN (${texts(rows)})`
      const found = await engine.select(points)
      const events = await engine.select(
        `SELECT id, metadata FROM metric_events WHERE (project_id, trace_id, id) IN (${points})`,
      )
      const traces = await engine.select(
        `SELECT id, any(metadata) FROM traces WHERE (project_id, id) IN (SELECT project_id, trace_id FROM (${points})) GROUP BY id`,
      )
      const own = bytesById(events)
      const inherited = bytesById(traces)
      const termsByTrace = new Map<unknown, ReturnType<typeof termsWithInherited>>()
      return found.map(([, traceId, id]) => {
        const termsOf = termsByTrace.get(traceId) ?? termsWithInherited(inherited.get(traceId) ?? EMPTY)
        termsByTrace.set(traceId, termsOf)
        return { row: id as string, terms: termsOf(own.get(id) ?? EMPTY) }
      })
    },
  },
}

/** For rows lost to damage. */
const EMPTY = Buffer.from('{}')

function bytesById(rows: readonly (readonly unknown[])[]): ReadonlyMap<unknown, Buffer> {
  return new Map(rows.map(([id, metadata]) => [id, Buffer.from(metadata as string)]))
}
