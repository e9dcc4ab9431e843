import assert from 'node:assert/strict'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { openChdbEngine } from '../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import type { Job } from '@spoor/contract/schemas/deletion'
import { askForDiscovery, discover, listClusters } from '../clusters/discoveries.ts'
import type { Client } from '../lib/client.ts'
import { clockBehind } from '../lib/clock-behind.ts'
import { eventually } from '../lib/eventually.ts'
import { filesHolding } from '../lib/files-holding.ts'
import { makeMarked, MARKER, send, USER } from '../lib/marked-trace.ts'
import { Service } from '../lib/service.ts'

// Each has a service of its own, and two wait for the minute after which replaced files are removed.
describe('deletions', { concurrency: true }, () => {
  test('no byte of a deleted or expired trace remains in the data directory, even if nothing else happens', async () => {
    await using past = await Service.start({ environment: clockBehind(40) })
    const { key, dataDir } = past
    const expiring = { name: `${MARKER} expired`, metadata: { a: MARKER }, steps: [{ name: `${MARKER} old` }] }
    assert.equal((await past.client.postTrace(expiring)).status, 202)
    await past.stop()
    const environment = { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8', SPOOR_BOOTSTRAP_KEY: key }
    await using service = await Service.start({ dataDir, environment })
    const { client } = service
    // Nobody listens there, so deliveries stay pending.
    const events = ['trace.committed', 'trace.flagged', 'metric.event']
    const [project] = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>().projects
    await send(client, 'PATCH', `/v1/projects/${project?.id}`, { retention: { days: 30 } }, 200)
    const webhooks = `/v1/projects/${project?.id}/webhooks`
    const hook = await send(client, 'POST', webhooks, { url: 'http://127.0.0.1:9/', events }, 201)
    await send(client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 }, 201)
    const traceId = await makeMarked(client)
    await eventually(
      'deliveries are made',
      async () => (await deliveriesOf(client, `${webhooks}/${hook.id}`)).length >= 3,
    )
    await eventuallyHeld(dataDir, MARKER, ['commit-log', 'telemetry', 'media', 'control', 'deliveries'])
    const deleted = await client.call({ method: 'DELETE', path: `/v1/traces/${traceId}` })
    assert.equal(deleted.status, 204, deleted.text)
    const listed = async () => (await client.get('/v1/traces')).json<{ traces: object[] }>().traces.length
    await eventually('the old trace has expired', async () => (await listed()) === 0)
    // A start removes deleted traces at once, without waiting for more. Replaced files are removed 60 s later.
    await service.stop()
    await service.start()
    await eventually('no file holds the marker', () => filesHolding(dataDir, MARKER).length === 0)
    // What hides a row is removed after the row.
    const pending = /^spoor_deleted_traces_pending\S* 0$/m
    await eventually('the deletions have ended', async () => pending.test((await service.client.get('/metrics')).text))
    const deliveries = await deliveriesOf(service.client, `${webhooks}/${hook.id}`)
    assert.deepEqual([...new Set(deliveries.map(({ reason }) => reason))], ['trace_deleted'])
    await service.stop()
    const engine = openChdbEngine({ directory: join(dataDir, 'telemetry'), memoryBytes: 400 * 1024 * 1024, readers: 1 })
    try {
      for (const table of ['traces', 'steps', 'metric_events', 'metric_points']) {
        const rows = await engine.select(`SELECT count() FROM ${table} SETTINGS apply_deleted_mask = 0`)
        assert.deepEqual(rows, [[0]], table)
      }
      const parts = await engine.select(
        "SELECT table, name FROM system.parts WHERE database = 'spoor' AND active AND rows > 0 AND table IN ('traces', 'steps', 'metric_events', 'metric_points')",
      )
      assert.deepEqual(parts, [])
    } finally {
      await engine.close()
    }
  })

  test('the deletion of a user ends with a receipt that is true, and then no file has a text of its traces', async () => {
    await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' } })
    const { client, dataDir } = service
    const holding = () => placesHolding(dataDir, MARKER)
    const [project] = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>().projects
    const webhooks = `/v1/projects/${project?.id}/webhooks`
    const events = ['trace.committed', 'trace.flagged', 'metric.event', 'cluster.created', 'cluster.pattern']
    const hook = await send(client, 'POST', webhooks, { url: 'http://127.0.0.1:9/', events }, 201)
    await send(client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 }, 201)
    const traceId = await makeMarked(client)
    const restorable = (await client.postTrace(clustered(0, true))).json<{ id: string }>().id
    for (let at = 1; at < CLUSTERED; at++) assert.equal((await client.postTrace(clustered(at, true))).status, 202)
    const kept: string[] = []
    for (let at = 0; at < CLUSTERED; at++) {
      const made = await client.postTrace(clustered(at, false))
      kept.push(made.json<{ id: string }>().id)
    }
    // Texts that discoveries have made from the traces: features, names of clusters, events and their deliveries.
    await discover(client, { k_max: 2 })
    const labels = async () => (await listClusters(service.client)).map(({ label }) => label)
    assert.ok(
      (await labels()).some((label) => label.includes(MARKER)),
      String(await labels()),
    )
    const typesSent = async () =>
      new Set((await deliveriesOf(client, `${webhooks}/${hook.id}`)).map(({ event }) => event))
    await eventually('all kinds of events are sent', async () => (await typesSent()).size === events.length)
    for (const place of ['clusters', 'control', 'deliveries', 'media'])
      assert.ok(holding().has(place), `${place} among ${[...holding()]}`)
    const unclustered = Array.from({ length: UNCLUSTERED }, (_, at) =>
      client.postTrace({ name: `${MARKER} ${at}`, user_id: USER, steps: [{ name: 'a' }, { name: 'b' }] }),
    )
    for (const { status } of await Promise.all(unclustered)) assert.equal(status, 202)
    for (const text of [MARKER, USER]) await eventuallyHeld(dataDir, text, ['commit-log', 'telemetry'])

    const undone = await client.call({ method: 'DELETE', path: `/v1/traces/${restorable}?grace_seconds=60` })
    assert.equal(undone.status, 204, undone.text)
    // A discovery that has read the traces before they are deleted, and ends later.
    await askForDiscovery(client, { k_max: 2 })
    const accepted = await client.call({ method: 'DELETE', path: `/v1/users/${USER}` })
    assert.equal(accepted.status, 202, accepted.text)
    const { job_id } = accepted.json<{ job_id: string }>()
    const job = async () => (await service.client.get(`/v1/jobs/${job_id}`)).json<Job>()
    for (let kills = 1; kills <= 2; kills++) {
      await eventually('some traces are deleted', async () => (await job()).done >= kills * 50)
      await service.kill()
      await service.start()
    }
    await eventually('no read has it', async () => (await job()).result !== null)
    assert.equal((await service.client.get(`/v1/traces/${traceId}`)).status, 404)
    assert.equal((await service.client.call({ method: 'POST', path: `/v1/traces/${restorable}/restore` })).status, 404)
    assert.deepEqual(new Set(await labels()), new Set(['Unnamed']))
    assert.equal((await job()).status, 'running')
    // A start removes deleted traces at once, without waiting for more. Replaced files are removed 60 s later.
    await service.restart()
    await eventually('the bytes have left the disk', async () => (await job()).status === 'succeeded')
    assert.deepEqual(holding(), new Set())

    const receipt = (await job()).result
    const traces = 1 + CLUSTERED + UNCLUSTERED
    const steps = 1 + CLUSTERED_STEPS + 2 * UNCLUSTERED
    assert.deepEqual(
      [receipt?.id, receipt?.traces, receipt?.steps, receipt?.metric_events, receipt?.media, (await job()).done],
      [job_id, traces, steps, 1, 1, traces],
    )
    const audit = await service.client.get(`/v1/audit?action=user.deleted&target=${USER}`)
    const { entries } = audit.json<{ entries: { detail: object; actor: { kind: string } }[] }>()
    assert.deepEqual(
      entries.map(({ actor }) => actor.kind),
      ['system', 'key'],
    )
    assert.deepEqual(entries[0]?.detail, receipt)
    for (const id of kept) assert.equal((await service.client.get(`/v1/traces/${id}`)).status, 200)
    await discover(service.client, { k_max: 2 })
    assert.deepEqual(holding(), new Set(), 'a later discovery has no text of them')
    assert.deepEqual(placesHolding(dataDir, USER), new Set(['control']))
    await service.stop()
    assert.deepEqual(tablesHolding(join(dataDir, 'control.db'), USER), ['audit_entries', 'deletion_jobs'])
  })

  test('a user is deleted whose traces are all deleted already, but could be restored', async () => {
    await using service = await Service.start()
    const { client } = service
    const made = await client.postTrace({ name: 'a', user_id: 'gone', steps: [{ name: 'b' }] })
    const path = `/v1/traces/${made.json<{ id: string }>().id}`
    const remove = (at: string) => client.call({ method: 'DELETE', path: at })
    assert.equal((await remove(`${path}?grace_seconds=3600`)).status, 204)
    const accepted = await remove('/v1/users/gone')
    assert.equal(accepted.status, 202, accepted.text)
    const { job_id } = accepted.json<{ job_id: string }>()
    const receipt = async () => (await client.get(`/v1/jobs/${job_id}`)).json<Job>().result
    await eventually('there is a receipt', async () => (await receipt()) !== null)
    assert.deepEqual([(await receipt())?.traces, (await receipt())?.steps], [1, 1])
    assert.equal((await client.call({ method: 'POST', path: `${path}/restore` })).status, 404)
    assert.equal((await remove('/v1/users/nobody')).status, 404)
  })
})

const CLUSTERED = 60
/** Every second one has a failed call of a tool, too. */
const CLUSTERED_STEPS = CLUSTERED + CLUSTERED / 2
const UNCLUSTERED = 300

/** A trace for clusters, of the user or of somebody else. */
function clustered(at: number, isOfUser: boolean): object {
  const failed = at % 2 === 0
  const asked = isOfUser ? `refund my order of ${MARKER}` : 'weather forecast for tomorrow in oslo'
  const text = `Please: ${asked}, number ${at}.`
  return {
    name: 'assistant',
    status: isOfUser && failed ? 'error' : 'ok',
    user_id: isOfUser ? USER : 'another',
    steps: [
      { name: 'answer', type: 'llm', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
      ...(isOfUser && failed ? [{ name: `${MARKER} pay`, type: 'tool' }] : []),
    ],
  }
}

/** Databases and folders of the data directory that hold the text: `control` is `control.db` and its log. */
function placesHolding(dataDir: string, text: string): Set<string> {
  return new Set(filesHolding(dataDir, text).map((path) => /^[^./]+/.exec(relative(dataDir, path))?.[0] ?? path))
}

/** Shows that the search would find the text. Rows move from the log into the engine, and leave the log later. */
async function eventuallyHeld(dataDir: string, text: string, places: readonly string[]): Promise<void> {
  const seen = new Set<string>()
  await eventually(`${text} is in ${places.join(', ')}`, () => {
    for (const place of placesHolding(dataDir, text)) seen.add(place)
    return places.every((place) => seen.has(place))
  })
}

function tablesHolding(path: string, text: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
    return tables
      .map(({ name }) => name)
      .filter((name) => {
        const rows = database.prepare(`SELECT * FROM ${name}`).all()
        return rows.some((row) => Object.values(row).some((value) => printed(value).includes(text)))
      })
      .sort()
  } finally {
    database.close()
  }
}

const printed = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : String(value))

async function deliveriesOf(client: Client, path: string): Promise<{ reason: string | null; event: string }[]> {
  const answer = await client.get(`${path}/deliveries?limit=1000`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ deliveries: { reason: string | null; event: string }[] }>().deliveries
}
