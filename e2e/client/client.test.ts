import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient, type TailEvent } from '../../packages/sdk/src/client/client.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

let service: Service
let spoor: Client

before(async () => {
  service = await Service.start()
  spoor = createClient({ url: service.url, apiKey: service.key })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

test('a trace is committed, grows, is read, found, flagged and deleted', async () => {
  const { id } = await spoor.traces.commit({ name: 'book a flight', session_id: 's 1', metadata: { env: 'test' } })
  const { errors, results } = await spoor.steps.append(id, [
    { name: 'search', type: 'tool' },
    { name: 'answer', type: 'llm', model: 'm', token_usage: { input: 3, output: 4 } },
  ])
  assert.equal(errors, false)
  assert.equal(results.length, 2)
  const trace = await spoor.traces.get(id)
  assert.deepEqual(
    trace.steps.map(({ name }) => name),
    ['search', 'answer'],
  )
  const steps = []
  for await (const { name } of spoor.steps.all(id, { limit: 1 })) steps.push(name)
  assert.deepEqual(steps, ['search', 'answer'])
  const { steps: searched } = await spoor.steps.search({ tool: 'search', not_argument: { city: ['Bern', 'Basel'] } })
  assert.deepEqual(
    searched.map((row) => [row.trace_id, row.name]),
    [[id, 'search']],
  )
  assert.deepEqual((await spoor.steps.search({ argument: { city: 'Bern' } })).steps, [])
  const asked = { measure: 'count', bucket: 'all', name: 'book a flight' } as const
  const byStep = await spoor.steps.series({ ...asked, group_by: ['step_name', 'name'], not_argument: { city: 'Bern' } })
  assert.deepEqual(byStep.points.map(({ group, subgroup, count }) => [group, subgroup, count]).toSorted(), [
    ['answer', 'book a flight', 1],
    ['search', 'book a flight', 1],
  ])
  assert.deepEqual(
    (await spoor.traces.series(asked)).points.map(({ count }) => count),
    [1],
  )
  const shorter = await spoor.traces.commit({ name: 'shorter', steps: [{ name: 'search', type: 'tool' }] })
  const compared = await spoor.traces.compare(id, shorter.id)
  assert.deepEqual([compared.left.id, compared.right.id], [id, shorter.id])
  assert.deepEqual(
    compared.pairs.map(({ kind }) => kind),
    ['same', 'only_left'],
  )
  const found = await spoor.traces.list({ meta_key: ['env'], meta_value: ['test'], session_id: 's 1' })
  assert.deepEqual(
    found.traces.map((row) => row.id),
    [id],
  )
  assert.equal((await spoor.traces.update(id, { flagged: true, reason: 'odd' })).state, 'flagged')
  assert.equal((await spoor.traces.get(id, { include: '' })).steps, undefined)
  assert.equal(await spoor.traces.delete(id), undefined)
  await assert.rejects(spoor.traces.get(id), { status: 404, code: 'not_found' })
})

test('a repeated commit with one key is one trace', async () => {
  const [first, second] = [
    await spoor.traces.commit({ name: 'once' }, { idempotencyKey: 'k' }),
    await spoor.traces.commit({ name: 'once' }, { idempotencyKey: 'k' }),
  ]
  assert.equal(first.id, second.id)
})

test('metrics, media, monitors, webhooks, clusters and prices', async () => {
  const { id } = await spoor.traces.commit({ name: 'measured' })
  await spoor.metrics.define({ name: 'resolved', kind: 'boolean' })
  assert.equal((await spoor.metrics.record({ name: 'resolved', trace_id: id, passed: true })).passed, true)
  const batch = await spoor.metrics.recordAll([
    { name: 'resolved', trace_id: id, passed: false },
    { name: 'undefined', trace_id: id, passed: true },
  ])
  assert.equal(batch.errors, true)
  const events = []
  for await (const event of spoor.metrics.allEvents({ trace_id: id, limit: 1 })) events.push(event.passed)
  assert.deepEqual(events.toSorted(), [false, true])

  const file = new Blob(['hello'], { type: 'text/plain' })
  const { uri } = await spoor.media.upload({ trace_id: id, kind: 'file', file }, { filename: 'a.txt' })
  assert.equal(await (await spoor.media.serve(uri)).text(), 'hello')
  assert.equal(await (await spoor.media.serve(uri, { range: 'bytes=1-2' })).text(), 'el')

  const monitor = await spoor.monitors.create({
    name: 'failures',
    source: { kind: 'traces', measure: 'error_rate' },
    aggregation: 'avg',
    window_seconds: 300,
    comparison: 'gt',
    threshold: 0.5,
  })
  assert.equal((await spoor.monitors.get(monitor.id)).name, 'failures')

  const { projects } = await spoor.call('listProjects', {})
  const webhooks = spoor.webhooks(String(projects[0]?.id))
  assert.deepEqual((await webhooks.list()).webhooks, [])
  assert.deepEqual((await spoor.clusters.list()).clusters, [])
  assert.ok((await spoor.prices.list({ limit: 1 })).prices.length > 0)
})

test('a refused field is named', async () => {
  await assert.rejects(spoor.traces.commit({ name: '' }), (error: Error & { errors?: { pointer: string }[] }) => {
    assert.equal(error.errors?.[0]?.pointer, '/name')
    return true
  })
})

test('a tail misses nothing and repeats nothing while the service is killed', async () => {
  const abort = new AbortController()
  // The service has another port after each start.
  const client = createClient({
    url: 'http://spoor.test',
    apiKey: service.key,
    fetch: (input, init) => fetch(String(input).replace('http://spoor.test', service.url), init),
  })
  await client.traces.commit({ name: 'before the tail' })
  const seen: TailEvent[] = []
  const following = (async () => {
    for await (const event of client.traces.tail({ after: '0', signal: abort.signal })) seen.push(event)
  })()
  const expected: string[] = []
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 5; at += 1) expected.push((await client.traces.commit({ name: `${round} ${at}` })).id)
    if (round === 2) break
    await service.kill()
    await service.start()
  }
  const last = expected.at(-1)
  await eventually('the last trace is in the tail', () =>
    seen.some((event) => event.type === 'trace.committed' && event.data.id === last),
  )
  abort.abort()
  await following
  const ids = seen.map((event) => (event.type === 'trace.committed' ? event.data.id : event.type))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids.slice(-expected.length), expected)
})
