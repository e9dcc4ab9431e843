import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ClickHouseServer, SHARDS } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { type OpenTemporaryEngine, temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { openClickHouseServer } from './clickhouse-server-engine.ts'
import { newDatabaseOn, onServers } from './use-server.test-support.ts'

/** What rows are sharded by: all rows of a trace are on one server. */
const SHARDED_BY = { traces: 'id', steps: 'trace_id', metric_events: 'trace_id', metric_points: 'trace_id' }

await onServers(2, distributed, async () => {
  const engine = await temporaryEngine()

  test('rows of a named batch are stored once, each on the shard of its trace', async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => `{"project_id":"p","id":"${n}","ver":1}\n`).join('')
    for (const batch of ['a', 'a', 'b']) await engine.insert('traces', Buffer.from(rows), batch)
    const counts = await engine.select('SELECT _shard_num, count(), uniq(id) FROM traces GROUP BY 1 ORDER BY 1')
    assert.deepEqual(
      counts.map(([, count, ids]) => (count as number) / (ids as number)),
      [2, 2],
    )
    assert.equal(
      counts.reduce((sum, [, count]) => sum + (count as number), 0),
      2000,
    )
  })

  await import('../feed/feed-candidates.test.ts')
  await import('../series/metric-series-conformance.test.ts')
})

/** A database of `Distributed` tables over equal databases on all servers. */
function distributed(servers: readonly ClickHouseServer[]): OpenTemporaryEngine {
  const shards = servers.map(newDatabaseOn)
  let databases = 0
  return async (onReadError) => {
    databases += 1
    const [database, local] = [`spread_${databases}`, `spoor_${databases}`]
    const engines = await Promise.all(shards.map((open) => open(onReadError)))
    const [first] = engines
    await first?.command(`CREATE DATABASE ${database}`)
    for (const [table, id] of Object.entries(SHARDED_BY))
      await first?.command(
        `CREATE TABLE ${database}.${table} AS ${local}.${table} ENGINE = Distributed(${SHARDS}, ${local}, ${table}, cityHash64(${id}))`,
      )
    const { url, user, password } = servers[0] as ClickHouseServer
    const spread = openClickHouseServer({ url, user, password, ca: null, database, readers: 2, onReadError })
    after(() => spread.close())
    return {
      ...spread,
      command: async (sql) => {
        for (const engine of engines) await engine.command(sql)
      },
    }
  }
}
