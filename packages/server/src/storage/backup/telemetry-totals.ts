import { join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { openChdbEngine } from '../clickhouse/engine/chdb-engine.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { DamageRecord } from '../clickhouse/damage/damage-record.ts'
import { checkParts } from '../clickhouse/parts/check-parts.ts'
import { readPartsRecord } from '../clickhouse/parts/parts-record.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { DATA_FILES } from '../data-files.ts'
import { settleLogged } from '../embedded/logged-trace-store.ts'

/** Traces that are not deleted, and of each table the rows and the sum of the hashes of their keys and versions. */
export interface TelemetryTotals {
  readonly traces: number
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly hash: string }>>
}

/**
 * What names a row and its version. Only rows of `traces` have several versions, and which of them the engine has
 * merged away may differ.
 */
const TABLES = {
  traces: { columns: 'id, ver', final: ' FINAL' },
  steps: { columns: 'trace_id, position, ver', final: '' },
  metric_events: { columns: 'trace_id, id, ver', final: '' },
  metric_points: { columns: 'metric_id, id, ver', final: '' },
} as const

/**
 * Opens the engine on a copy of a store, brings the commits up to `commit` that are only in its log into the engine, as
 * a start would, and counts. Changes the copy. Throws OperatorError when parts of the engine or commits are missing.
 */
export async function readTotals(folder: string, commit: number, memoryBytes: number): Promise<TelemetryTotals> {
  const record = await readPartsRecord(join(folder, DATA_FILES.partsRecord))
  if (record === null) throw new OperatorError('The record of the parts of the engine is missing.')
  const damage = await DamageRecord.open({
    path: join(folder, DATA_FILES.damage),
    clock: systemClock,
    onUnreadable: () => undefined,
  })
  const engine = openChdbEngine({ directory: join(folder, DATA_FILES.telemetry), memoryBytes, readers: 1 })
  try {
    await engine.command('SYSTEM STOP MERGES')
    const missing = (await checkParts(engine, record)).missing.filter(({ table, name }) => !damage.isLost(table, name))
    if (missing.length > 0)
      throw new OperatorError(
        `Parts of the engine cannot be loaded: ${missing.map(({ table, name }) => `${name} of ${table}`).join(', ')}.`,
      )
    const settled = new ClickHouseTraceStore(engine, { inserts: engine.inserts })
    const range = { after: record.settledThrough, through: commit }
    await settleLogged(settled, join(folder, DATA_FILES.commitLog), range, ({ from, through }) => {
      throw new OperatorError(`The log lacks the commits ${from} to ${through}.`)
    })
    return await totalsOf(engine)
  } finally {
    await engine.close()
  }
}

async function totalsOf(engine: Pick<TelemetryEngine, 'select'>): Promise<TelemetryTotals> {
  const tables: Record<string, { rows: number; hash: string }> = {}
  for (const [table, { columns, final }] of Object.entries(TABLES)) {
    const [row] = await engine.select(`SELECT count(), toString(sum(cityHash64(${columns}))) FROM ${table}${final}`)
    const [rows, hash] = row as readonly [number, string]
    tables[table] = { rows, hash }
  }
  const [row] = await engine.select('SELECT count() FROM traces FINAL WHERE deleted = 0')
  return { traces: row?.[0] as number, tables }
}
