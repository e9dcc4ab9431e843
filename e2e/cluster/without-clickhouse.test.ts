import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const COUNT = '/v1/traces/series?bucket=5200w&measure=count'

const servers = await startClusterParts()
if (typeof servers === 'string') test('a start without ClickHouse', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  testStarts(servers)
}

function testStarts({ environment, proxies: { clickhouse } }: ClusterParts): void {
  test('a node starts without ClickHouse on an empty store, takes traces, and settles them later', async () => {
    clickhouse.refuses = true
    await using node = await Service.start({ dataDir: NO_FOLDER, environment })
    const ready = await node.client.get('/readyz')
    assert.equal(ready.status, 200, ready.text)
    assert.match(ready.text, /ClickHouse does not answer/)
    const answer = await node.client.postTrace({ name: 'early', steps: [{ type: 'tool', name: 'one' }] })
    assert.equal(answer.status, 202, answer.text)
    const { id } = answer.json<{ id: string }>()
    assert.equal((await node.client.get(`/v1/traces/${id}`)).status, 200)
    const refused = await node.client.get(COUNT)
    assert.deepEqual([refused.status, Number(refused.headers['retry-after']) > 0], [503, true])
    clickhouse.refuses = false
    await eventually('ClickHouse is used', async () => (await node.client.get(COUNT)).status === 200)
    assert.match((await node.client.get(COUNT)).text, /"count":1\b|"value":1\b/)
    // With rows that have settled, it starts without ClickHouse too.
    await node.stop()
    clickhouse.refuses = true
    await node.start()
    assert.equal((await node.client.get(`/v1/traces/${id}`)).status, 503)
    const more = await node.client.postTrace({ name: 'late', steps: [] })
    assert.equal(more.status, 202, more.text)
    clickhouse.refuses = false
    await eventually('the first trace', async () => (await node.client.get(`/v1/traces/${id}`)).status === 200)
  })

  test('a node that started without ClickHouse ends when that refuses it later', async () => {
    clickhouse.refuses = true
    const wrong = { ...environment, SPOOR_CLICKHOUSE_PASSWORD: 'wrong' }
    await using node = await Service.start({ dataDir: NO_FOLDER, environment: wrong })
    clickhouse.refuses = false
    await eventually('the end of the node', () => !node.isRunning)
    assert.match(node.log, /ClickHouse refuses the user/)
  })
}
