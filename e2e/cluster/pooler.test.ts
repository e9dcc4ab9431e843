import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { query as queryOn } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { startPgBouncer } from '../../scripts/testing/pgbouncer-server.mjs'
import type { Answer } from '../lib/client.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'

const NO_FOLDER = '/dev/null/no-folder'
/** Fewer than the connections of one node. */
const POOL_SIZE = 4
const TRACES = 60
const SENDERS = 6

const servers = await startClusterParts()
if (typeof servers === 'string') test('a cluster through a pooler', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  const pooler = await startPgBouncer(servers.postgresql.url, { poolSize: POOL_SIZE })
  if (typeof pooler === 'string') test('a cluster through a pooler', { skip: pooler }, () => undefined)
  else {
    after(() => pooler.stop())
    await testPooler(servers, pooler.through(servers.postgresql.url))
  }
}

async function testPooler(cluster: ClusterParts, pooledUrl: string): Promise<void> {
  const query = (text: string) => queryOn(cluster.postgresql.url, text)
  await query('ALTER ROLE spoor SET synchronous_commit = off')
  const environment = {
    ...cluster.environment,
    SPOOR_POSTGRES_URL: pooledUrl,
    SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8',
    SPOOR_BOOTSTRAP_KEY: newSecret(randomBytes),
  }
  const startNode = () => Service.start({ dataDir: NO_FOLDER, environment })
  const [a, b] = await Promise.all([startNode(), startNode()])
  after(() => Promise.all([a, b].map((node) => node[Symbol.asyncDispose]())))

  // A deferred trigger runs as a part of the commit.
  await query('CREATE TABLE seen (setting text)')
  await query(`CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`)
  await query(`CREATE CONSTRAINT TRIGGER seen AFTER INSERT ON commits DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION see()`)

  /** As clients do: again, at the other node too, until one acknowledges it. */
  const send = async (round: number, post: (node: Service) => Promise<Answer>): Promise<Answer> => {
    for (let attempt = round; ; attempt++) {
      const answer = await post(attempt % 2 === 0 ? a : b).catch(() => null)
      if (answer !== null && answer.status < 300) return answer
      assert.ok(answer === null || answer.status === 503, answer?.text)
      await sleep(50)
    }
  }
  const trace = (number: number, round: number) =>
    send(round, async (node) =>
      node.client.postTrace(
        { name: `trace ${number}`, steps: [{ type: 'tool', name: 'first' }] },
        { 'idempotency-key': `trace ${number}` },
      ),
    )
  const step = (id: string, number: number, round: number) =>
    send(round, async (node) =>
      node.client.append(
        id,
        `${JSON.stringify({ type: 'tool', name: 'second', idempotency_key: `step ${number}` })}\n`,
      ),
    )

  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const receiver = await Receiver.start(secret)
  after(() => receiver[Symbol.asyncDispose]())
  const subscriptions = await Subscriptions.of(() => b.client)
  const webhook = await subscriptions.create({ url: receiver.url, events: ['trace.committed'], secret })
  const ids = new Map<number, string>()

  test('what two nodes acknowledge is there once, also when it is sent again and a node is killed', async () => {
    let next = 0
    const work = async () => {
      for (let number = next++; number < TRACES; number = next++) {
        if (number === TRACES / 2) await a.kill()
        const first = (await trace(number, number)).json<{ id: string }>().id
        ids.set(number, first)
        const [again] = await Promise.all([
          trace(number, number + 1),
          step(first, number, number),
          step(first, number, number + 1),
        ])
        assert.equal(again.json<{ id: string }>().id, first)
      }
    }
    await Promise.all(Array.from({ length: SENDERS }, work))
    await a.start()
    for (const [number, id] of ids) assert.equal((await trace(number, 0)).json<{ id: string }>().id, id)
    for (const { client } of [a, b]) {
      const { traces } = (await client.get('/v1/traces?limit=1000')).json<{ traces: { id: string }[] }>()
      assert.deepEqual(traces.map(({ id }) => id).toSorted(), [...ids.values()].toSorted())
      for (const { id } of traces) {
        const { steps } = (await client.get(`/v1/traces/${id}`)).json<{ steps: { name: string }[] }>()
        assert.deepEqual(
          steps.map(({ name }) => name),
          ['first', 'second'],
        )
      }
    }
  })

  test('each of them is delivered to a webhook', async () => {
    await eventually('all deliveries', async () => {
      const deliveries = await subscriptions.deliveries(webhook)
      assert.ok(deliveries.length <= TRACES)
      return deliveries.filter(({ status }) => status === 'succeeded').length === TRACES
    })
  })

  test('every commit was flushed, although the role does not, over no more connections than the pool has', async () => {
    assert.deepEqual(await query('SHOW synchronous_commit'), [{ synchronous_commit: 'off' }])
    const [seen] = await query(`SELECT count(*)::int AS commits, array_agg(DISTINCT setting) AS settings FROM seen`)
    assert.deepEqual(seen?.['settings'], ['on'])
    assert.ok(Number(seen['commits']) >= SENDERS)
    const sessions = `SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'spoor'`
    const [{ open } = {}] = await query(sessions)
    assert.ok(Number(open) >= 1 && Number(open) <= POOL_SIZE, String(open))
  })

  test('commands work through the pooler too', async () => {
    const doctor = await runSpoor(NO_FOLDER, ['doctor'], environment)
    assert.match(doctor.out, /^postgresql +ok .* through a pooler of transactions, version/m)
    assert.match(doctor.out, /^durability +WRONG {2}fsync off, full_page_writes off, synchronous_commit off$/m)
    assert.match(doctor.out, /\n1 problem\.\n$/)
    const projects = await runSpoor(NO_FOLDER, ['projects', 'list'], environment)
    assert.equal(projects.code, 0, projects.out)
  })
}
