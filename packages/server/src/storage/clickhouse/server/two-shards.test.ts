import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClickHouseServer, SHARDS } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { openClickHouseServer } from './clickhouse-server-engine.ts'
import { openServerSchema } from './open-server-schema.ts'
import { prepareServer } from './prepare-server.ts'
import { readClusterShape } from './shards/cluster-shape.ts'
import { examineShards } from './shards/examine-shards.ts'
import { newDatabaseOn, onServers } from './use-server.test-support.ts'

const saying = (words: RegExp) => (error: unknown) => error instanceof OperatorError && words.test(error.message)

test('several shards of several replicas are refused', async () => {
  const engine = {
    select: async () =>
      [
        [1, 2],
        [1, 1],
      ] as const,
  }
  await assert.rejects(readClusterShape(engine, 'c'), saying(/c has 2 shards with up to 2 replicas each/))
})

// All reads. What is true of the tables of one server as well need not run there again; one-server.test.ts has
// what is about rows and parts.
await onServers(2, newDatabaseOn, async (servers) => {
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
  await import('../series/explored-series-groups.test.ts')
  // The last of these kills a server.
  testPreparation(servers as readonly [ClickHouseServer, ClickHouseServer])
})

function testPreparation([first, second]: readonly [ClickHouseServer, ClickHouseServer]): void {
  const { url, user, password } = first
  const urls = [url, second.url]
  const open = (database: string, addresses: readonly string[] = urls, cluster: string | null = SHARDS) =>
    prepareServer(
      { url: addresses[0] as string, user, password, ca: null, database, readers: 2 },
      { cluster, urls: addresses, patienceMs: 0 },
    )
  const traces = (...ids: string[]) => Buffer.from(ids.map((id) => `{"project_id":"p","id":"${id}"}\n`).join(''))
  const ids = Array.from({ length: 40 }, (_, index) => `trace ${index}`)

  test('each shard needs its address, at its place', async () => {
    await assert.rejects(open('wrong', [url]), saying(/has 2 shards, so SPOOR_CLICKHOUSE_URL must have 2 addresses/))
    await assert.rejects(open('wrong', [second.url, url]), saying(/at place 1 is http\S+, which is shard 2\.$/))
    await assert.rejects(open('wrong', [url, url]), saying(/at place 2 is http\S+, which is shard 1\.$/))
  })

  test('a database of shards is not opened as one of a single server, nor the other way round', async () => {
    const shards = await open('spread')
    await openServerSchema(shards)
    await shards.engine.close()
    await assert.rejects(open('spread', [url], null), saying(/are spread over the shards of a cluster/))
    const single = await open('single', [url], null)
    await openServerSchema(single)
    await single.engine.close()
    await assert.rejects(open('single'), saying(/has the tables of one server, not of shards/))
  })

  test('shards that changed their place or their weights are refused', async () => {
    const prepared = await open('moved')
    await openServerSchema(prepared)
    const { spread, shards } = prepared
    assert.ok(spread)
    await assert.rejects(
      openServerSchema({ ...prepared, shards: shards.toReversed() }),
      saying(/has the rows of shard 2 of 2 \(weights 1, 1\), but is now shard 1 of 2/),
    )
    await assert.rejects(
      openServerSchema({ ...prepared, spread: { ...spread, weights: [1, 3] } }),
      saying(/but is now shard 1 of 2 \(weights 1, 3\)/),
    )
    await openServerSchema(prepared)
    await prepared.engine.close()
  })

  test('the tables over all shards get the columns of a migration, and keep all rows', async () => {
    const prepared = await open('altered')
    await openServerSchema(prepared)
    const { engine, shards } = prepared
    await engine.insert('traces', traces(...ids))
    for (const shard of shards) await shard.command(`ALTER TABLE traces ADD COLUMN added String DEFAULT upper(id)`)
    await assert.rejects(engine.select('SELECT added FROM traces'), { clickhouseCode: 47 })
    await openServerSchema(prepared)
    const rows = await engine.select('SELECT added FROM traces ORDER BY id')
    assert.deepEqual(
      rows,
      ids.toSorted().map((id) => [id.toUpperCase()]),
    )
    await engine.close()
  })

  test('without one shard, only its traces cannot be read; a batch that met that is stored once', async () => {
    const prepared = await open('halved')
    await openServerSchema(prepared)
    const failures: unknown[] = []
    const { shards } = prepared
    // Reads and inserts go through the shard that stays.
    const options = { url, user, password, ca: null, database: 'halved', readers: 2 }
    const engine = openClickHouseServer({ ...options, onReadError: (error) => failures.push(error) })
    await engine.insert('traces', traces(...ids), 'first')
    const onFirst = (await shards[0]?.select('SELECT id FROM traces'))?.map(([id]) => id as string) ?? []
    assert.ok(onFirst.length > 0 && onFirst.length < ids.length)
    await second.kill()
    const isAway = (error: unknown) =>
      error instanceof DomainError && error.code === 'storage_unavailable' && /A part of the store/.test(error.message)
    await assert.rejects(engine.select('SELECT id FROM traces'), isAway)
    await assert.rejects(engine.select('SELECT count() FROM traces'), isAway)
    for (const id of ids) {
      const read = engine.select(`SELECT id FROM traces PREWHERE project_id = 'p' AND id = '${id}'`)
      if (onFirst.includes(id)) assert.deepEqual(await read, [[id]])
      else await assert.rejects(read, isAway)
    }
    assert.equal(failures.length, 2 + ids.length - onFirst.length)
    const more = traces(...ids.map((id) => `more ${id}`))
    await assert.rejects(engine.insert('traces', more, 'second'))
    const { results: doctor } = await examineShards({ ...options, cluster: SHARDS, urls })
    const [one, two] = ['clickhouse shard 1', 'clickhouse shard 2'].map((name) =>
      doctor.find(({ part }) => part === name),
    )
    assert.match(one?.problems.join() ?? '', /^It cannot read all shards: /)
    assert.match(two?.problems.join() ?? '', /^ClickHouse cannot be used: connect ECONNREFUSED/)
    await second.start()
    await engine.insert('traces', more, 'second')
    assert.deepEqual(await engine.select('SELECT count(), uniq(id) FROM traces'), [[80, 80]])
    const { results: healthy } = await examineShards({ ...options, cluster: SHARDS, urls })
    assert.deepEqual(
      healthy.flatMap(({ problems }) => problems),
      [],
    )
    await engine.close()
    await prepared.engine.close()
  })
}
