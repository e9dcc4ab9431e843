import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { askServer } from '../lib/clickhouse/ask-server.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'

const TRACES = 60
const FILLED = /all stored traces have their inputs/
/** `record` without its last field, as earlier versions stored it. */
const OLDER =
  `ALTER TABLE spoor_local.traces UPDATE has_digest = 0, record = concat('[', ` +
  `arrayStringConcat(arrayPopBack(JSONExtractArrayRaw(record)), ','), ']') WHERE 1 SETTINGS mutations_sync = 2`

const parts = await startClusterParts(2)
if (typeof parts === 'string') test('traces of an earlier version in a cluster', { skip: parts }, () => undefined)
else {
  after(() => parts[Symbol.asyncDispose]())
  await testCluster(parts)
}

async function testCluster({ environment, postgresql, shards }: ClusterParts): Promise<void> {
  const key = newSecret(randomBytes)
  const options = { dataDir: '/dev/null/no-folder', environment: { ...environment, SPOOR_BOOTSTRAP_KEY: key } }
  const nodes = [new Service(options), new Service(options)]
  after(() => Promise.all(nodes.map((node) => node[Symbol.asyncDispose]())))
  const [first, second] = nodes as [Service, Service]

  test('traces of an earlier version are filled in by one node, over all shards, and another one goes on', async () => {
    await first.start()
    const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
    for (let n = 0; n < TRACES; n++) {
      const messages = [said('user', `question ${n}`), said('assistant', `answer ${n}`)]
      const steps = [{ name: 'ask', type: 'llm', model: 'gpt-4o', token_usage: { input: n }, messages }]
      assert.equal((await first.client.postTrace({ name: `trace ${n}`, steps })).status, 202)
    }
    const before = await walkFeed(first.client)
    // A series reads only what has settled.
    await first.client.get('/v1/traces/series?bucket=5200w&measure=count')
    await first.stop()
    for (const shard of shards) await askServer(shard, OLDER)
    const events = await query(postgresql.url, 'SELECT head_position FROM journal_state')

    await first.start()
    await first.kill()
    await Promise.all([first.start(), second.start()])
    // The lease of the killed node ends first.
    await eventually('all are filled in', () => nodes.some(({ log }) => FILLED.test(log)))
    for (const { client } of nodes) assert.deepEqual(await walkFeed(client), before)
    assert.deepEqual(await query(postgresql.url, 'SELECT head_position FROM journal_state'), events, 'no events')
  })
}
