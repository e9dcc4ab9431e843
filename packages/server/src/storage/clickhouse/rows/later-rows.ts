import type { LaterCount, LaterRows } from '../../cluster/recover-stores.ts'
import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

const TABLES = { steps: 'trace_id', metric_points: 'trace_id', metric_events: 'trace_id', traces: 'id' } as const

/** On each of several shards. */
export function laterRowsOn(shards: readonly TelemetryEngine[]): LaterRows {
  return {
    count: (through, known) => count(shards, through, known),
    async remove(through, known) {
      for (const shard of shards) await remove(shard, through, known)
    },
  }
}

async function count(shards: readonly TelemetryEngine[], through: number, known: string): Promise<LaterCount> {
  const later = `WHERE ver > ${integer(through)}`
  const countOf = (table: string) => `(SELECT count() FROM ${table} ${later})`
  const counts = await Promise.all(
    shards.map((shard) =>
      shard.select(
        `SELECT greatest(max(ver), (SELECT max(ver) FROM steps), (SELECT max(ver) FROM metric_events)),
           uniqExactIf(id, ver > ${integer(through)} AND id > ${text(known)}),
           uniqExactIf(id, ver > ${integer(through)} AND id <= ${text(known)}), ${countOf('steps')}, ${countOf('metric_events')}
         FROM traces`,
      ),
    ),
  )
  const column = (at: number) => counts.map(([row]) => row?.[at] as number)
  const sum = (at: number) => column(at).reduce((total, one) => total + one, 0)
  return { through: Math.max(...column(0)), traces: sum(1), changed: sum(2), steps: sum(3), metricEvents: sum(4) }
}

/** What stays waits in tables of its own: merges with the rows that are removed would drop it too. */
async function remove(shard: TelemetryEngine, through: number, known: string): Promise<void> {
  const [later, ver] = [`ver > ${integer(through)}`, integer(through)]
  const stay = tracesThatStay(ver, text(known))
  const tables = Object.entries(TABLES)
  for (const [table, id] of tables) {
    await shard.command(`CREATE TABLE IF NOT EXISTS recovering_${table} AS ${table}`)
    await shard.command(
      `INSERT INTO recovering_${table} SELECT * REPLACE(toUInt64(${ver}) AS ver) FROM ${table} WHERE ${table}.${later} AND (project_id, ${id}) IN (${stay})`,
    )
  }
  for (const [table] of tables)
    await shard.command(`ALTER TABLE ${table} DELETE WHERE ${later} SETTINGS mutations_sync = 2`)
  for (const [table] of tables) {
    await shard.command(`INSERT INTO ${table} SELECT * FROM recovering_${table}`)
    await shard.command(`DROP TABLE recovering_${table} SYNC`)
  }
}

/** Known traces of which a merge has dropped a row of the commit `ver` or before: that of the trace, or of a step. */
function tracesThatStay(ver: string, known: string): string {
  const changed = `SELECT project_id, id FROM traces WHERE id <= ${known} AND ver > ${ver}`
  const earlier = `ver <= ${ver} AND (project_id, ${TABLES.steps}) IN (${changed})`
  const steps = `SELECT project_id, trace_id AS id, uniqExact(position) AS found FROM steps WHERE ${earlier} GROUP BY ALL`
  return (
    `SELECT project_id, id FROM traces LEFT JOIN (${steps}) AS kept USING (project_id, id) ` +
    `WHERE (project_id, id) IN (${changed}) GROUP BY project_id, id ` +
    `HAVING min(ver) > ${ver} OR argMaxIf(step_count, ver, ver <= ${ver}) > any(kept.found)`
  )
}
