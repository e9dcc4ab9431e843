import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { newPlace } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

/** Each test has a project of it. */
let service: Service
before(async () => void (service = await Service.start()))
after(() => service[Symbol.asyncDispose]())

const JSON_TYPE = { 'content-type': 'application/json' }

function post(client: Client, path: string, body: object) {
  return client.call({ method: 'POST', path, headers: JSON_TYPE, body: JSON.stringify(body) })
}

async function commit(client: Client, count: number, body: object): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, () => post(client, '/v1/traces', body)))
  assert.ok(answers.every(({ status }) => status === 202))
}

async function countOf(client: Client, query = ''): Promise<number> {
  const { traces } = (await client.get(`/v1/traces?limit=1000${query}`)).json<{ traces: unknown[] }>()
  return traces.length
}

async function remove(client: Client, body: object): Promise<string> {
  const answer = await post(client, '/v1/traces/delete', body)
  assert.equal(answer.status, 202, answer.text)
  const { job_id } = answer.json<{ job_id: string }>()
  assert.equal(answer.headers['location'], `/v1/jobs/${job_id}`)
  return job_id
}

interface Job {
  readonly status: string
  readonly done: number
  readonly total: number
}

const read = async (client: Client, id: string) => (await client.get(`/v1/jobs/${id}`)).json<Job>()

async function ended(client: Client, id: string): Promise<Job> {
  await eventually('the job has ended', async () => !/queued|running/.test((await read(client, id)).status))
  return read(client, id)
}

test('traces that match are counted and deleted, and only those of the project', async () => {
  const { client } = await newPlace(service)
  const { client: other } = await newPlace(service)
  await commit(client, 30, { name: 'a', user_id: 'u', metadata: { env: 'test' } })
  await commit(client, 20, { name: 'b', user_id: 'v' })
  await commit(other, 5, { name: 'a', user_id: 'u' })
  const start_time = '2020-01-31T12:00:00.000Z'
  const filters = { user_id: 'u', meta_key: ['env'], meta_value: ['test'], start_time }
  const dry = await post(client, '/v1/traces/delete', { ...filters, dry_run: true })
  assert.deepEqual([dry.status, dry.json()], [200, { count: 30 }])
  const job = await ended(client, await remove(client, filters))
  assert.deepEqual([job.status, job.done, job.total], ['succeeded', 30, 30])
  assert.deepEqual([await countOf(client), await countOf(other)], [20, 5])
  const { entries } = (await client.get('/v1/audit?action=traces.deleted')).json<{ entries: { detail: object }[] }>()
  assert.deepEqual(
    entries.map(({ detail }) => detail),
    [filters],
  )
})

test('a deletion of everything needs "all": true, also by a filter that matches everything', async () => {
  const { client } = await newPlace(service)
  await commit(client, 3, { name: 'a' })
  for (const body of [{}, { dry_run: true }, { name: 'a' }, { all: false }]) {
    const { status, text } = await post(client, '/v1/traces/delete', body)
    assert.equal(status, 422, text)
    assert.match(text, /\/all/)
  }
  assert.equal((await post(client, '/v1/traces/delete', { nmae: 'a', all: true })).status, 422)
  assert.equal(await countOf(client), 3)
  assert.equal((await ended(client, await remove(client, { all: true }))).done, 3)
  assert.equal(await countOf(client), 0)
})

test('a deletion goes on after a kill, and nothing that it deleted comes back', async () => {
  const { client, key } = await newPlace(service)
  await commit(client, 500, { name: 'gone' })
  await commit(client, 2, { name: 'stays' })
  const id = await remove(client, { name: 'gone' })
  await eventually('the first step was made', async () => (await read(client, id)).status !== 'queued')
  await service.kill()
  await service.start()
  const again = service.client.as(key)
  const left = await countOf(again)
  assert.ok(left <= 402, `${left} are left`)
  assert.equal((await ended(again, id)).status, 'succeeded')
  assert.equal(await countOf(again), 2)
})

test('a cancelled deletion stops; jobs of others do not exist', async () => {
  const { client } = await newPlace(service)
  const { client: other } = await newPlace(service)
  await commit(client, 400, { name: 'a' })
  await commit(client, 1, { name: 'b' })
  const id = await remove(client, { name: 'a' })
  assert.equal((await other.get(`/v1/jobs/${id}`)).status, 404)
  assert.equal((await other.call({ method: 'DELETE', path: `/v1/jobs/${id}` })).status, 404)
  assert.equal((await client.call({ method: 'DELETE', path: `/v1/jobs/${id}` })).status, 200)
  const second = await remove(client, { name: 'b' })
  await ended(client, second)
  // Jobs run one after the other, so nothing of the first one is under way any more.
  const { status, done } = await read(client, id)
  assert.equal(status, 'cancelled')
  assert.equal(await countOf(client), 400 - done)
})
