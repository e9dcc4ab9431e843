import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import type { ClickHouseServer } from '../lib/clickhouse/clickhouse-server.ts'
import { askServer } from '../lib/clickhouse/ask-server.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { forEach } from '../lib/for-each.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const TRACES = 40

const parts = await startClusterParts(2)
if (typeof parts === 'string') test('a cluster of two shards', { skip: parts }, () => undefined)
else {
  after(() => parts[Symbol.asyncDispose]())
  await testTwoShards(parts)
}

async function testTwoShards({ environment, postgresql, shards }: ClusterParts): Promise<void> {
  const node = await Service.start({ dataDir: NO_FOLDER, environment })
  after(() => node[Symbol.asyncDispose]())
  const [first, second] = shards as readonly [ClickHouseServer, ClickHouseServer]
  const kept: string[] = []
  const deleted: string[] = []
  const commit = async (name: string) => {
    const steps = [1, 2].map((n) => ({ type: 'llm', name: `step ${n}`, model: 'gpt-4o', token_usage: { input: n } }))
    const answer = await node.client.postTrace({ name, session_id: 'one session', steps })
    assert.equal(answer.status, 202, answer.text)
    return answer.json<{ id: string }>().id
  }
  const read = async <T>(path: string): Promise<T> => {
    const answer = await node.client.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<T>()
  }
  /** All that is acknowledged, and nothing else or twice, by every way to read it. */
  const assertAllReadable = async () => {
    const rows = await walkFeed(node.client)
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), kept.toSorted())
    assert.equal((await walkFeed(node.client, { sort: 'total_tokens', limit: '17' })).length, kept.length)
    const words = await walkFeed(node.client, { q: 'step', limit: '19' })
    assert.deepEqual(words.map(({ id }) => id).toSorted(), kept.toSorted())
    await forEach(kept.slice(0, 12), async (id) => {
      const { steps } = await read<{ steps: { name: string }[] }>(`/v1/traces/${id}`)
      assert.deepEqual(steps.map(({ name }) => name).slice(0, 2), ['step 1', 'step 2'])
    })
    const { senders } = await read<{ senders: { scope: string; spans: number }[] }>('/v1/senders')
    assert.deepEqual(
      senders.map(({ scope, spans }) => [scope, spans]),
      [['api', rows.reduce((sum, row) => sum + row.step_count, 0)]],
    )
    for (const measure of ['total_tokens', 'cost_usd']) {
      const path = `/v1/traces/series?bucket=5200w&measure=${measure}&group_by=model`
      const { points } = await read<{ points: { count: number }[] }>(path)
      assert.equal(
        points.reduce((sum, { count }) => sum + count, 0),
        kept.length,
        measure,
      )
    }
    const { sessions } = await read<{ sessions: { trace_count: number }[] }>('/v1/sessions')
    assert.deepEqual(
      sessions.map((session) => session.trace_count),
      [kept.length],
    )
  }
  /** Rows of traces, steps and both kinds of metric events on one shard. */
  const rowsOn = async (shard: ClickHouseServer) => {
    const tables = ['traces', 'steps', 'metric_events', 'metric_points']
    const counts = tables.map((table) => `(SELECT count() FROM spoor_local.${table} FINAL)`)
    return (await askServer(shard, `SELECT [${counts.join()}]`))[0]?.[0] as number[]
  }
  const settled = async () => {
    await read('/v1/traces/series?bucket=5200w&measure=count')
  }

  test('rows are divided between the shards, and every read finds all of them', async () => {
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await node.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
      assert.ok(answer.status < 300, answer.text)
    }
    await post('/v1/metrics', { name: 'reward', kind: 'numeric' })
    await forEach(
      Array.from({ length: TRACES }, (_, n) => n),
      async (n) => void kept.push(await commit(`run ${n}`)),
    )
    for (const [n, id] of kept.entries())
      await post('/v1/metrics/events', { name: 'reward', trace_id: id, value: n % 2 })
    for (const id of kept.slice(0, 10)) await node.client.append(id, '{"name":"appended"}\n')
    await settled()
    const [one, two] = [await rowsOn(first), await rowsOn(second)]
    for (const rows of [one, two]) assert.ok((rows[0] as number) > 5, 'each shard has traces')
    assert.deepEqual(
      one.map((count, at) => count + (two[at] as number)),
      [TRACES, 2 * TRACES + 10, TRACES, TRACES],
    )
    await assertAllReadable()
    const { points } = await read<{ points: { count: number; avg: number }[] }>(
      '/v1/metrics/reward/series?bucket=5200w',
    )
    assert.deepEqual(
      points.map(({ count, avg }) => [count, avg]),
      [[TRACES, 0.5]],
    )
  })

  test('doctor names each shard', async () => {
    const { out } = await runSpoor(NO_FOLDER, ['doctor'], environment)
    // PostgreSQL of the tests does not flush.
    assert.match(out, /\n1 problem\.\n$/)
    for (const number of [1, 2])
      assert.match(out, new RegExp(`^clickhouse shard ${number} +ok +spoor_local at http`, 'm'))
  })

  test('what was deleted stays so after a restart', async () => {
    for (const id of kept.splice(0, 15)) {
      const answer = await node.client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
      assert.equal(answer.status, 204, answer.text)
      deleted.push(id)
    }
    await settled()
    await node.stop()
    await node.start()
    await assertAllReadable()
  })

  test('without one shard, no answer is half a one; what is acknowledged meanwhile is stored once', async () => {
    const writing = new AbortController()
    const load = (async () => {
      for (let n = 0; !writing.signal.aborted; n++) {
        kept.push(await commit(`under load ${n}`))
        await sleep(50)
      }
    })()
    await second.kill()
    await eventually('readyz names the shard', async () => {
      const { checks } = await read<{ checks: { name: string; detail?: string }[] }>('/readyz')
      return checks.some(({ detail }) => detail?.startsWith('Shard 2 of ClickHouse does not answer') === true)
    })
    // Memory cannot answer these: the node has started since.
    for (const path of [
      '/v1/traces?limit=1000',
      '/v1/traces?sort=duration_ms&limit=1000',
      '/v1/sessions',
      '/v1/traces/series?bucket=5200w&measure=count',
      '/v1/metrics/reward/series?bucket=5200w',
    ]) {
      const answer = await node.client.get(path)
      assert.equal(answer.status, 503, `${path} ${answer.text}`)
      assert.ok(answer.headers['retry-after'], path)
    }
    const { code, out } = await runSpoor(NO_FOLDER, ['doctor'], environment)
    assert.equal(code, 1)
    assert.match(out, /^clickhouse shard 2 +(?!ok)/m)
    writing.abort()
    await load
    await second.start()
    await eventually('what waited has settled', async () => {
      return (await node.client.get('/v1/traces/series?bucket=5200w&measure=count')).status === 200
    })
    await assertAllReadable()
    const [one, two] = [await rowsOn(first), await rowsOn(second)]
    assert.equal((one[0] as number) + (two[0] as number), kept.length + deleted.length)
  })

  test('deleted traces leave both shards', async () => {
    // Traces whose payloads are still in PostgreSQL are not purged: for ten minutes.
    await query(postgresql.url, 'UPDATE settled_marks SET settled_at = 0')
    const ids = deleted.map((id) => `'${id}'`).join()
    const tables = { traces: 'id', steps: 'trace_id', metric_events: 'trace_id', metric_points: 'trace_id' }
    const counts = Object.entries(tables).map(
      ([table, id]) => `(SELECT count() FROM spoor_local.${table} WHERE ${id} IN (${ids}))`,
    )
    const left = async (shard: ClickHouseServer) => (await askServer(shard, `SELECT ${counts.join(' + ')}`))[0]?.[0]
    for (const shard of shards) assert.notEqual(await left(shard), 0)
    await eventually('the deleted rows are gone', async () => {
      for (const shard of shards) if ((await left(shard)) !== 0) return false
      return true
    })
    await assertAllReadable()
  })
}
