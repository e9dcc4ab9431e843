import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { damageOf, isPartGone } from './read-damage.ts'

/** A part that the engine reads from. */
export interface TablePart {
  readonly table: string
  readonly name: string
  readonly partitionId: string
  readonly rows: number
  /** Its absolute folder, ending in `/`. */
  readonly path: string
}

/** Active parts of all tables, ordered by table and name. `condition` uses the columns of `system.parts`. */
export async function activeParts(
  engine: Pick<TelemetryEngine, 'select'>,
  condition = '1',
): Promise<readonly TablePart[]> {
  const rows = await engine.select(
    'SELECT table, name, partition_id, rows, path FROM system.parts ' +
      `WHERE database = currentDatabase() AND active AND ${condition} ORDER BY table, name`,
  )
  return rows.map(([table, name, partitionId, count, path]) => ({
    table: table as string,
    name: name as string,
    partitionId: partitionId as string,
    rows: count as number,
    path: path as string,
  }))
}

/** The result of reading every byte of a part. */
export interface PartCheck {
  readonly ok: boolean
  /** The error message of the engine; empty when the part is intact. */
  readonly message: string
}

/**
 * Verifies all files of a part against its checksums, however long that takes. Null when a merge or a mutation has
 * replaced the part. If its list of checksums is missing, the engine writes a new one and reports that.
 */
export async function checkPart(
  engine: Pick<TelemetryEngine, 'select'>,
  { table, name }: Pick<TablePart, 'table' | 'name'>,
): Promise<PartCheck | null> {
  try {
    const rows = await engine.select(
      `CHECK TABLE ${table} PART ${text(name)} SETTINGS check_query_single_value_result = 0, max_execution_time = 0`,
    )
    const bad = rows.filter(([, passed]) => passed !== 1)
    return { ok: bad.length === 0, message: (bad[0] ?? rows[0])?.[2] as string }
  } catch (error) {
    if (isPartGone(error)) return null
    const damage = damageOf(error)
    if (damage === null) throw error
    return { ok: false, message: damage.message }
  }
}
