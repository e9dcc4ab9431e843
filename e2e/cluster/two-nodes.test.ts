import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { uploadCall } from '../lib/media/media.ts'
import { signIn } from '../lib/sessions.ts'
import { openTail } from '../lib/tail.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { runSpoor } from '../lib/command.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'

const NO_FOLDER = '/dev/null/no-folder'

const servers = await startClusterParts()
if (typeof servers === 'string') test('a cluster of two nodes', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  await testTwoNodes(servers)
}

async function testTwoNodes(cluster: ClusterParts): Promise<void> {
  const firstKey = newSecret(randomBytes)
  const often = { SPOOR_TRACE_QUIET_SECONDS: '1', SPOOR_MONITOR_INTERVAL_SECONDS: '1' }
  const environment = { ...cluster.environment, SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8', ...often }
  // A node has no data folder: a path that cannot be made is named as one.
  const startNode = () =>
    Service.start({ dataDir: NO_FOLDER, environment: { ...environment, SPOOR_BOOTSTRAP_KEY: firstKey } })
  // Both make the schema and the first project, at once.
  const [a, b] = await Promise.all([startNode(), startNode()])
  after(() => Promise.all([a, b].map((node) => node[Symbol.asyncDispose]())))
  const step = (name: string) => `${JSON.stringify({ type: 'tool', name })}\n`
  const commit = async (node: Service, name: string) => {
    const answer = await node.client.postTrace({ name, steps: [{ type: 'tool', name: 'first' }] })
    assert.equal(answer.status, 202, answer.text)
    return answer.json<{ id: string }>().id
  }
  const namesOf = async (client: Client, id: string) => {
    const answer = await client.get(`/v1/traces/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<{ steps: { name: string }[] }>().steps.map(({ name }) => name)
  }

  test('both started at once and made one project', async () => {
    for (const node of [a, b]) {
      const { projects } = (await node.client.get('/v1/projects')).json<{ projects: unknown[] }>()
      assert.equal(projects.length, 1)
      const { status, checks } = (await node.client.get('/readyz')).json<{
        status: string
        checks: { name: string }[]
      }>()
      assert.equal(status, 'ready')
      assert.deepEqual(checks.map(({ name }) => name).sort(), ['clickhouse', 'postgresql', 's3'])
    }
  })

  test('what one acknowledges, the other shows at once; appends from both have one order', async () => {
    for (let round = 0; round < 20; round++) {
      const [one, other] = round % 2 === 0 ? [a, b] : [b, a]
      const id = await commit(one, `trace ${round}`)
      assert.deepEqual(await namesOf(other.client, id), ['first'])
    }
    const session = { name: 'spoken', session_id: 'over both', steps: [{ type: 'tool', name: 'first' }] }
    for (const [one, other, count] of [
      [a, b, 1],
      [b, a, 2],
    ] as const) {
      await one.client.postTrace(session)
      const { sessions } = (await other.client.get('/v1/sessions')).json<{ sessions: { trace_count: number }[] }>()
      assert.deepEqual(
        sessions.map((row) => row.trace_count),
        [count],
      )
    }
    const id = await commit(a, 'shared')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? a : b).client.append(id, step(`step ${index}`))),
    )
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    const names = await namesOf(a.client, id)
    assert.deepEqual(await namesOf(b.client, id), names)
    assert.deepEqual(
      names.toSorted(),
      ['first', ...Array.from({ length: 20 }, (_, index) => `step ${index}`)].toSorted(),
    )
  })

  test('metrics say which node settles, what it has settled, and how each store was read', async () => {
    const read = async (node: Service) => {
      const { text } = await node.client.get('/metrics')
      return (name: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.slice(name.length),
        )
    }
    const settler = (await read(a))('spoor_leases_held{lease="settling"}') === 1 ? a : b
    assert.equal((await read(settler === a ? b : a))('spoor_leases_held{lease="settling"}'), 0)
    await eventually('all commits settled', async () => (await read(settler))('spoor_unsettled_bytes') === 0)
    const of = await read(settler)
    for (const name of ['batches', 'commits', 'bytes', 'seconds']) assert.ok(of(`spoor_settle_${name}_total`) > 0, name)
    for (const store of ['postgresql', 'clickhouse']) {
      assert.ok(of(`spoor_store_reads_total{store="${store}"}`) > 0, store)
      assert.ok(of(`spoor_store_read_seconds_total{store="${store}"}`) > 0, store)
    }
    for (const lease of ['monitors', 'housekeeping', 'clusters', 'dispatch of events']) {
      const holders = (await Promise.all([a, b].map(read))).map((node) => node(`spoor_leases_held{lease="${lease}"}`))
      assert.deepEqual(holders.toSorted(), [0, 1], lease)
    }
  })

  test('one idempotency key at both is one trace', async () => {
    const body = { name: 'once', steps: [] }
    const answers = await Promise.all(
      [a, b, a, b].map((node) => node.client.postTrace(body, { 'idempotency-key': 'the same' })),
    )
    assert.equal(new Set(answers.map((answer) => answer.json<{ id: string }>().id)).size, 1)
  })

  test('a tail goes on at the other node with no gap and nothing twice', async () => {
    const tail = await openTail(a.url, firstKey)
    const ids = [await commit(a, 'tail 1'), await commit(b, 'tail 2')]
    await tail.until(({ events }) => events.length >= 2)
    const { lastEventId } = tail
    tail.close()
    ids.push(await commit(a, 'tail 3'))
    const other = await openTail(b.url, firstKey, { 'last-event-id': lastEventId ?? '' })
    ids.push(await commit(b, 'tail 4'))
    await other.until(({ events }) => events.length >= 2)
    other.close()
    const seen = [...tail.events, ...other.events].map(({ data }) => (JSON.parse(data) as { id: string }).id)
    assert.deepEqual(seen, ids)
  })

  test('a sorted walk goes on at the other node as it began, whatever changes meanwhile', async () => {
    const made: string[] = []
    for (let count = 1; count <= 6; count++) {
      const steps = Array.from({ length: count }, () => ({ type: 'tool', name: 'walked' }))
      const answer = await (count % 2 === 0 ? a : b).client.postTrace({ name: 'walk', session_id: 'walk', steps })
      made.unshift(answer.json<{ id: string }>().id)
    }
    const page = async (node: Service, cursor: string) => {
      const path = `/v1/traces?session_id=walk&sort=step_count&order=desc&limit=2${cursor}`
      return (await node.client.get(path)).json<{ traces: { id: string }[]; next_cursor: string | null }>()
    }
    const walked: string[] = []
    let cursor: string | null = ''
    for (const [node, other] of [
      [a, b],
      [b, a],
      [a, b],
    ] as const) {
      const { traces, next_cursor: next }: Awaited<ReturnType<typeof page>> = await page(node, cursor ?? '')
      walked.push(...traces.map(({ id }) => id))
      cursor = next === null ? null : `&cursor=${encodeURIComponent(next)}`
      // The shortest becomes the longest, and one that was shown becomes longer.
      for (const id of [made.at(-1), made[0]]) await other.client.append(id ?? '', step('more').repeat(8))
    }
    assert.deepEqual([walked, cursor], [made, null])
  })

  test('a monitor of traces counts those of both nodes, and none that one of them deletes', async () => {
    const source = { kind: 'traces', measure: 'count' }
    const rest = { aggregation: 'count', window_seconds: 3600, comparison: 'gt', threshold: 1000 }
    const monitor = { name: 'watched', source, filters: { name: 'watched' }, ...rest }
    const headers = { 'content-type': 'application/json' }
    const path = '/v1/monitors'
    const answer = await a.client.call({ method: 'POST', path, headers, body: JSON.stringify(monitor) })
    assert.equal(answer.status, 201, answer.text)
    const { id } = answer.json<{ id: string }>()
    const find = (count: number) =>
      eventually(`${count} traces`, async () => {
        const { last_value: value } = (await b.client.get(`${path}/${id}`)).json<{ last_value: number | null }>()
        return value === count
      })
    const ids = [await commit(a, 'watched'), await commit(b, 'watched')]
    await find(2)
    ids.push(await commit(b, 'watched'), await commit(a, 'watched'))
    await find(4)
    for (const [node, of] of [
      [a, ids[1]],
      [b, ids[0]],
    ] as const)
      assert.equal((await node.client.call({ method: 'DELETE', path: `/v1/traces/${of}` })).status, 204)
    await find(2)
    assert.equal((await a.client.call({ method: 'DELETE', path: `${path}/${id}` })).status, 204)
  })

  test('a session is valid at both; a key revoked at one is refused at the other at once', async () => {
    const session = await signIn(a.client)
    // Behind a load balancer, both are asked by the same name.
    const cookie = { cookie: session.cookie, host: new URL(a.url).host }
    assert.equal((await b.client.as(null).get('/v1/traces', cookie)).status, 200)
    const projectId = await firstProjectId(a.client)
    const key = await createKey(a.client, projectId, { scopes: ['read'] })
    assert.equal((await b.client.as(key.secret).get('/v1/traces')).status, 200)
    const path = `/v1/projects/${projectId}/keys/${key.id}`
    assert.equal((await a.client.call({ method: 'DELETE', path })).status, 204)
    assert.equal((await b.client.as(key.secret).get('/v1/traces')).status, 401)
  })

  test('a node starts without the bucket and says so; media work when it is back', async () => {
    cluster.proxies.s3.refuses = true
    cluster.proxies.s3.cutAll()
    const node = await startNode()
    after(() => node[Symbol.asyncDispose]())
    const wrong = await Service.start({
      dataDir: NO_FOLDER,
      environment: { ...environment, SPOOR_S3_BUCKET: 'missing' },
    })
    after(() => wrong[Symbol.asyncDispose]())
    const noteOfBucket = async () => {
      const { status, json } = await node.client.get('/readyz')
      assert.equal(status, 200)
      return json<{ checks: { name: string; detail: string | null }[] }>().checks.find(({ name }) => name === 's3')
        ?.detail
    }
    assert.match((await noteOfBucket()) ?? '', /the bucket does not answer/)
    const id = await commit(node, 'without a bucket')
    const upload = () => node.client.call(uploadCall({ trace_id: id, kind: 'file' }, { content: Buffer.from('bytes') }))
    assert.equal((await upload()).status, 503)
    cluster.proxies.s3.heal()
    await eventually('the bucket is used', async () => (await upload()).status === 201)
    await eventually('the note is gone', async () => (await noteOfBucket()) === null)
    await eventually('one with a wrong bucket ends', () => /The bucket missing .* it does not exist/.test(wrong.log))
    await node.stop()
  })

  test('doctor finds nothing wrong but a server that does not flush, and prints no password', async () => {
    const { code, out: output } = await runSpoor(NO_FOLDER, ['doctor'], environment)
    assert.match(output, /^durability +WRONG {2}fsync off, full_page_writes off, synchronous_commit on$/m)
    assert.match(output, /\n1 problem\.\n$/)
    assert.equal(code, 1)
    for (const part of ['postgresql', 'replication', 'clickhouse', 's3', 'settling', 'leases'])
      assert.match(output, new RegExp(`^${part} +ok`, 'm'))
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|KEY$/.test(name) && value !== '') assert.ok(!output.includes(value), name)
    }
  })

  const [otelRoot, otelChild] = ['00000000000000a1', '00000000000000a2']
  const sendSpan = async (node: Service, traceId: string, spanId: string) => {
    const parent = spanId === otelRoot ? {} : { parentSpanId: otelRoot }
    const times = { startTimeUnixNano: '1772323200000000000', endTimeUnixNano: '1772323201000000000' }
    const spans = [{ traceId, spanId, name: spanId, ...parent, ...times }]
    const answer = await node.client.call({
      method: 'POST',
      path: '/v1/traces',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    })
    assert.equal(answer.status, 200, answer.text)
  }

  test('a trace whose spans come to both nodes, and one whose node is killed, are completed once', async () => {
    const subscriptions = await Subscriptions.of(() => b.client)
    await eventually('earlier traces are complete', async () => {
      const { traces } = (await a.client.get('/v1/traces?growing=true')).json<{ traces: unknown[] }>()
      return traces.length === 0
    })
    // Nobody listens there: the log of deliveries is what counts.
    const id = await subscriptions.create({ url: 'http://127.0.0.1:9/', events: ['trace.completed'] })
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)] as const
    const completed = async () => (await subscriptions.deliveries(id)).length
    await Promise.all([sendSpan(a, first, otelChild), sendSpan(b, first, otelRoot)])
    await eventually('the first is complete', async () => (await completed()) === 1)
    await sendSpan(a, second, otelRoot)
    await a.kill()
    await sendSpan(b, second, otelChild)
    await eventually('the second is complete', async () => (await completed()) >= 2)
    await a.start()
    await commit(a, 'whole')
    await eventually('a whole one', async () => (await completed()) >= 3)
    assert.equal(await completed(), 3)
  })

  test('a webhook is delivered once, also when a node is killed; the other goes on', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const receiver = await Receiver.start(secret)
    after(() => receiver.kill())
    const subscriptions = await Subscriptions.of(() => b.client)
    const id = await subscriptions.create({ url: receiver.url, events: ['trace.committed'], secret })
    const made = [await commit(a, 'hook 1'), await commit(b, 'hook 2')]
    const succeeded = async () =>
      (await subscriptions.deliveries(id)).filter(({ status }) => status === 'succeeded').length
    await eventually('two deliveries', async () => (await succeeded()) === 2)
    await a.kill()
    made.push(await commit(b, 'hook 3'))
    assert.deepEqual(await namesOf(b.client, made[0] ?? ''), ['first'])
    await eventually('three deliveries', async () => (await succeeded()) === 3)
    assert.equal((await subscriptions.deliveries(id)).length, 3)
  })
}
