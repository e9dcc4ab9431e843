import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { newDatabaseOn, onServers } from './use-server.test-support.ts'

// All reads. What is true of the tables of one server as well need not run there again; one-server.test.ts has
// what is about rows and parts.
await onServers(2, newDatabaseOn, async () => {
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

  await import('../feed/feed-conformance.test.ts')
  await import('../measures/monitor-measures-conformance.test.ts')
  await import('../rows/clickhouse-cluster-traces.test.ts')
  await import('../series/clickhouse-sender-counts.test.ts')
  await import('../series/metric-series-conformance.test.ts')
  await import('../series/trace-series-groups.test.ts')
})
