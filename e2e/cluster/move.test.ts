import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { discover, listClusters } from '../clusters/discoveries.ts'
import { endOf } from '../lib/command.ts'
import { startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { forEach } from '../lib/for-each.ts'
import type { Client } from '../lib/client.ts'
import type { ClusterList } from '@spoor/contract/schemas/cluster'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { walkFeed } from '../lib/feed.ts'
import { serve, sha256, upload } from '../lib/media/media.ts'
import { createRandom } from '../lib/random.ts'
import { openTail } from '../lib/tail.ts'
import { MAIN, Service, serviceEnvironment } from '../lib/service.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'

const SECRET = 'a secret of the store'
/** More than one batch of steps. */
const RUNS = 60
const STEPS = 80

test('spoor move: a store is copied into a cluster, in two attempts, and everything is equal', async (context) => {
  const parts = await startClusterParts()
  if (typeof parts === 'string') return context.skip(parts)
  await using cluster = parts
  await using receiver = await Receiver.start(SECRET)
  const { SPOOR_SECRET_KEY = '', SPOOR_SIGNING_KEY = '' } = cluster.environment
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1', SPOOR_SECRET_KEY } })
  await fill(service, receiver)
  const { dataDir } = service
  const settings = { ...cluster.environment, SPOOR_SIGNING_KEY }
  const move = (more: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [MAIN, 'move', '--data-dir', dataDir], {
      env: serviceEnvironment('/nowhere', { ...settings, ...more }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  const running = await endOf(move())
  assert.match(running.error, /Another Spoor is running/)
  const last = await service.client.postTrace({ name: 'the last one', run_type: 'airline', steps: [] })
  assert.equal(last.status, 202, last.text)
  await service.kill()
  const killed = await endOf(move())
  assert.match(killed.error, /was not stopped in order/)
  await service.start()
  const before = await shownBy(service)
  await service.stop()
  const otherKey = await endOf(move({ SPOOR_SECRET_KEY: '0'.repeat(64) }))
  assert.match(otherKey.error, /SPOOR_SECRET_KEY is not the key/)

  const first = move()
  while (!isUnderWay(dataDir)) {
    assert.equal(first.exitCode, null, 'it ended before it could be interrupted')
    await sleep(2)
  }
  first.kill('SIGKILL')
  await once(first, 'close')
  const second = await endOf(move())
  assert.deepEqual([second.code, second.error], [0, ''], second.out)
  assert.match(second.out, /^steps +\d{4} rows$/m)
  assert.match(second.out, /^traces +\d+ rows$/m)
  assert.match(second.out, /^media +5 objects/m)
  assert.match(second.out, /^Counts and sums are equal/m)
  const third = await endOf(move())
  assert.deepEqual([third.code, third.out], [0, 'This store was moved to that cluster before.\n'])

  const environment = { ...settings, SPOOR_BOOTSTRAP_KEY: service.key }
  await using node = await Service.start({ dataDir: '/nowhere', environment })
  const after = await shownBy(node)
  for (const part of Object.keys(before) as (keyof Shown)[]) assert.deepEqual(after[part], before[part], part)
  const again = await node.client.postTrace({ name: 'run 1', steps: [] }, { 'idempotency-key': 'run 1' })
  assert.equal(again.status, 409, 'the key is known')
  const added = await node.client.append(before.rows[0]?.id as string, '{"name":"later"}\n')
  assert.equal(added.status, 200, added.text)
  // The store is as it was, but that its start warns.
  assert.doesNotMatch(service.log, /moved to a cluster/)
  await service.start()
  assert.match(service.log, /"level":"warn".*"movedAt":"\d{4}-.*moved to a cluster/)
  assert.deepEqual(await shownBy(service), before)
})

interface Shown {
  readonly rows: readonly TraceRow[]
  readonly traces: readonly unknown[]
  readonly events: unknown
  readonly monitors: unknown
  readonly deliveries: readonly unknown[]
  /** What people see of them; sizes grow. */
  readonly clusters: readonly unknown[]
  readonly media: readonly string[]
  /** Positions and ids of the tail's second half. */
  readonly tail: readonly string[]
}

async function shownClusters(client: Client): Promise<readonly unknown[]> {
  const { clusters, failure_by: failureBy } = (await client.get('/v1/clusters')).json<ClusterList>()
  const shown = clusters.map(
    ({ id, label, automatic_label: automatic, typical_request: request, error_rate: rate }) => [
      id,
      label,
      automatic,
      request,
      rate,
      failureBy,
    ],
  )
  assert.ok(shown.some(([, label]) => label === 'renamed'))
  return shown.toSorted()
}

/** What clients see of everything that was filled in. */
async function shownBy(service: Service): Promise<Shown> {
  const { client } = service
  const rows = await walkFeed(client)
  const read = async (path: string) => {
    const answer = await client.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<Record<string, unknown>>()
  }
  const traces = await Promise.all(rows.slice(0, 12).map(({ id }) => read(`/v1/traces/${id}`)))
  const uris = traces
    .flatMap((trace) => (trace['attachments'] as { uri: string }[] | undefined) ?? [])
    .map(({ uri }) => uri)
  const media: string[] = []
  for (const uri of uris) media.push(sha256((await serve(client, uri)).bytes))
  const subscriptions = await Subscriptions.of(() => client)
  const { webhooks } = await subscriptions.read<{ webhooks: { id: string }[] }>('')
  const { monitors } = (await read('/v1/monitors')) as { monitors: { id: string; name: string; state: string }[] }
  return {
    rows,
    traces,
    events: await read('/v1/metrics/events?limit=1000'),
    monitors: monitors.map(({ id, name, state }) => ({ id, name, state })),
    deliveries: await subscriptions.deliveries(webhooks[0]?.id as string),
    clusters: await shownClusters(client),
    media,
    tail: await tailAfter(service, RUNS / 2, rows.find(({ name }) => name === 'the last one')?.id as string),
  }
}

/** Through the event of the trace. */
async function tailAfter(service: Service, position: number, traceId: string): Promise<string[]> {
  const tail = await openTail(service.url, service.key, { 'last-event-id': String(position) })
  await tail.until(({ events }) => events.some(({ data }) => data.includes(traceId)))
  tail.close()
  return tail.events.map(({ id, data }) => `${id} ${(JSON.parse(data) as { id: string }).id}`)
}

function isUnderWay(dataDir: string): boolean {
  const path = join(dataDir, 'move.json')
  return existsSync(path) && readFileSync(path, 'utf8').includes('"batches": 1')
}

/** Runs of an agent with failures, scores, flags, deletions, recordings, a monitor, a webhook and a renamed cluster. */
async function fill(service: Service, receiver: Receiver): Promise<void> {
  const { client } = service
  const random = createRandom(19)
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
  }
  const subscriptions = await Subscriptions.of(() => client)
  await subscriptions.create({ url: receiver.url, events: ['trace.committed', 'metric.event'], secret: SECRET })
  await post('/v1/metrics', { name: 'reward', kind: 'numeric' })
  await post('/v1/monitors', {
    name: 'reward',
    source: { kind: 'metric', metric: 'reward' },
    aggregation: 'avg',
    window_seconds: 3600,
    comparison: 'lt',
    threshold: 0.4,
  })
  const ids: string[] = []
  const runs = Array.from({ length: RUNS }, (_, n) => n)
  await forEach(runs, async (n) => {
    const steps = Array.from({ length: STEPS }, (_, at) => ({
      name: at % 2 === 0 ? 'agent' : 'search_flights',
      type: at % 2 === 0 ? 'llm' : 'tool',
      model: 'gpt-4o',
      idempotency_key: `step ${at}`,
      token_usage: { input: random.below(4000), output: random.below(400) },
      messages: [{ role: 'user', content: [{ type: 'text', text: `Flüge – “${random.word(600)}” \u0000\n` }] }],
      ...(random.chance(0.01) ? { status: 'error', error: { type: 'NoSeat', message: 'sold out' } } : {}),
    }))
    const body = { name: `run ${n}`, run_type: 'airline', metadata: { task: n, 'a"b': "it's" }, steps }
    const answer = await client.postTrace(body, { 'idempotency-key': `run ${n}` })
    assert.equal(answer.status, 202, answer.text)
    ids.push(answer.json<{ id: string }>().id)
  })
  for (const [n, id] of ids.entries()) {
    if (n % 10 === 0) await client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
    else if (n % 3 === 0) await post('/v1/metrics/events', { name: 'reward', trace_id: id, value: random.below(2) })
  }
  for (const id of ids.slice(1, 6))
    await upload(
      client,
      { trace_id: id, kind: 'sensor' },
      { content: random.word(70_000), type: 'application/octet-stream' },
    )
  await discover(client, { failure_by: 'metadata:task=1' })
  const [cluster] = await listClusters(client)
  const body = JSON.stringify({ label: 'renamed' })
  const headers = { 'content-type': 'application/json' }
  const renamed = await client.call({ method: 'PATCH', path: `/v1/clusters/${cluster?.id}`, headers, body })
  assert.equal(renamed.status, 200, renamed.text)
  const { webhooks } = await subscriptions.read<{ webhooks: { id: string }[] }>('')
  await eventually('all is delivered', async () => {
    const deliveries = await subscriptions.deliveries(webhooks[0]?.id as string)
    return deliveries.length > RUNS && deliveries.every(({ status }) => status === 'succeeded')
  })
}
