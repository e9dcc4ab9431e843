import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { randomBytes } from 'node:crypto'
import { OPERATIONS } from '@spoor/contract/operations'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import type { Answer, Client } from '../lib/client.ts'
import { type LiveOperation, operationsOf, readLiveDocument } from '../lib/live-operations.ts'
import { serve, servePath, sha256, signedUrlPath, uploadCall } from '../lib/media/media.ts'
import { createExpiredKey, createKey } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { signIn } from '../lib/sessions.ts'
import { openTail } from '../lib/tail.ts'
import { bodyFor, fillProject, type Ids, pathWith, type ProjectWorld, SECRET } from './two-projects.ts'

let service: Service
let operations: readonly LiveOperation[]
let foreign: ProjectWorld
let own: ProjectWorld

before(async () => {
  service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  operations = operationsOf(await readLiveDocument(service.client)).filter(({ path }) => path.startsWith('/v1/'))
  foreign = await fillProject(service.client, SECRET)
  own = await fillProject(service.client, 'own-text')
})

after(() => service[Symbol.asyncDispose]())

/** The answer without the parts that differ between any two requests. */
function withoutIds(answer: Answer, ids: readonly string[]): string {
  const text = ids.reduce((rest, id) => rest.replaceAll(id, 'ID'), answer.text)
  return text.replaceAll(/"request_id":"[^"]*"/g, '')
}

function send(client: Client, operation: LiveOperation, ids: Ids): Promise<Answer> {
  return client.call({ method: operation.method, path: pathWith(operation, ids), ...bodyFor(operation) })
}

/** Of the ids in paths. */
const NAMED = [
  'keyId',
  'projectId',
  'traceId',
  'stepId',
  'metricEventId',
  'monitorId',
  'viewId',
  'dashboardId',
  'webhookId',
  'deliveryId',
  'jobId',
  'selectionId',
] as const

/** An upload whose URL is its key, and an import, which makes the trace that it names (e2e/import/keep-ids.test.ts). */
const WITH_OTHER_ANSWERS = new Set(['putDirectUpload', 'importTrace'])

test('every operation answers ids of another project exactly like ids that do not exist: 404', async () => {
  const missing: Ids = {
    projectId: 'proj_01h2xcejqtf2nbrexx3vqjhp41',
    keyId: 'key_01h2xcejqtf2nbrexx3vqjhp41',
    traceId: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
    stepId: 'st_01h2xcejqtf2nbrexx3vqjhp41',
    mediaUri: `media://${own.projectId}/${'0'.repeat(64)}`,
    metricName: 'nowhere',
    metricEventId: 'mev_01h2xcejqtf2nbrexx3vqjhp41',
    monitorId: 'mon_01h2xcejqtf2nbrexx3vqjhp41',
    viewId: 'view_01h2xcejqtf2nbrexx3vqjhp41',
    dashboardId: 'dash_01h2xcejqtf2nbrexx3vqjhp41',
    webhookId: 'wh_01h2xcejqtf2nbrexx3vqjhp41',
    deliveryId: 'dlv_01h2xcejqtf2nbrexx3vqjhp41',
    clusterId: 'clu_01h2xcejqtf2nbrexx3vqjhp42',
    jobId: 'job_01h2xcejqtf2nbrexx3vqjhp41',
    selectionId: 'sel_01h2xcejqtf2nbrexx3vqjhp41',
    deletionId: 'job_01h2xcejqtf2nbrexx3vqjhp42',
    sessionId: 'nowhere',
  }
  // Models have names, not ids: each project has its own price for the same name.
  const withIds = operations.filter(
    ({ path, operationId }) => path.includes('{') && !path.includes('{model}') && !WITH_OTHER_ANSWERS.has(operationId),
  )
  assert.ok(withIds.length >= 8)
  const { client: browser } = await signIn(own.client)
  const untouched = await snapshot(foreign)
  for (const operation of withIds) {
    for (const ids of foreignIds(operation)) {
      const label = `${operation.operationId} ${pathWith(operation, ids)}`
      const answer = await send(own.client, operation, ids)
      assert.equal(answer.status, 404, `${label}: ${answer.text}`)
      assert.ok(!answer.text.includes(SECRET), `${label}: ${answer.text}`)
      // Its own data remains; foreign data is nowhere.
      const nowhere = {
        ...missing,
        ...(ids.projectId === own.projectId ? { projectId: own.projectId } : {}),
        ...(ids.keyId === own.keyId ? { keyId: own.keyId } : {}),
        ...(ids.webhookId === own.webhookId ? { webhookId: own.webhookId } : {}),
        ...(ids.deliveryId === own.deliveryId ? { deliveryId: own.deliveryId } : {}),
      }
      const none = await send(own.client, operation, nowhere)
      const used = NAMED.map((name) => ids[name])
      const known = [...Object.values(missing), ...used]
      assert.equal(withoutIds(answer, known), withoutIds(none, known), label)
      const byCookie = await send(browser, operation, ids)
      assert.deepEqual([byCookie.status, withoutIds(byCookie, [])], [404, withoutIds(answer, [])], label)
    }
  }
  assert.equal(await snapshot(foreign), untouched)
})

/** All ids foreign; for paths with several ids, also those of both projects mixed. */
function foreignIds({ path }: LiveOperation): readonly Ids[] {
  if (path.includes('{key_id}')) return [foreign, { ...own, keyId: foreign.keyId }, { ...foreign, keyId: own.keyId }]
  if (!path.includes('/webhooks/{id}')) return [foreign]
  const { projectId, webhookId, deliveryId } = foreign
  const ofDelivery = path.includes('{delivery_id}') ? [{ ...own, deliveryId }] : []
  return [foreign, { ...own, projectId }, { ...own, webhookId, deliveryId }, ...ofDelivery]
}

async function snapshot(world: ProjectWorld): Promise<string> {
  const { client, traceId, projectId, mediaUri, monitorId, webhookId, deliveryId } = world
  const webhooks = `/v1/projects/${projectId}/webhooks`
  const paths = [
    webhooks,
    `${webhooks}/${webhookId}/deliveries/${deliveryId}`,
    `/v1/monitors/${monitorId}`,
    `/v1/traces/${traceId}`,
    '/v1/traces',
    `/v1/projects/${projectId}/keys`,
    '/v1/metrics',
    '/v1/views',
    '/v1/dashboards',
    '/v1/metrics/events',
    servePath(mediaUri),
  ]
  return (await Promise.all(paths.map((path) => client.get(path)))).map(({ text }) => text).join('\n')
}

test('a price of another project is not seen, does not price, and is not removed', async () => {
  const model = 'model-of-the-foreign'
  const path = `/v1/prices/${model}`
  const price = { method: 'PUT', path, headers: { 'content-type': 'application/json' } }
  const rates = '{"input_usd_per_million":1,"output_usd_per_million":2}'
  assert.equal((await foreign.client.call({ ...price, body: rates })).status, 200)
  assert.equal((await own.client.call({ method: 'DELETE', path })).status, 404)
  assert.ok(!(await own.client.get('/v1/prices?limit=1000')).text.includes(model))
  const body = { name: 'own', steps: [{ name: 's', model, token_usage: { input: 1_000_000 } }] }
  const costs = async (client: Client) => {
    const { id } = (await client.postTrace(body)).json<{ id: string }>()
    return (await client.get(`/v1/traces/${id}`)).json<{ cost_usd: number | null }>().cost_usd
  }
  assert.deepEqual([await costs(own.client), await costs(foreign.client)], [null, 1])
  assert.equal((await foreign.client.call({ method: 'DELETE', path })).status, 204)
})

test('media of another project are not served, attached, linked or signed', async () => {
  const nowhere = `media://${foreign.projectId}/${'0'.repeat(64)}`
  const [, hash] = /([0-9a-f]{64})$/.exec(foreign.mediaUri) ?? []
  const asOwn = `media://${own.projectId}/${hash}`
  for (const uri of [foreign.mediaUri, asOwn, nowhere]) {
    const answer = await serve(own.client, uri)
    assert.equal(answer.status, 404, answer.text)
    assert.equal(withoutIds(answer, []), withoutIds(await serve(own.client, nowhere), []))
    assert.equal((await own.client.call({ method: 'HEAD', path: servePath(uri) })).status, 404)
    const linked = await own.client.postTrace({ name: 'x', steps: [{ name: 's', attachments: [{ uri }] }] })
    assert.deepEqual(
      [linked.status, linked.json<{ errors: { code: string }[] }>().errors[0]?.code],
      [422, 'attachment_not_found'],
    )
    const line = await own.client.append(own.traceId, JSON.stringify({ name: 's', attachments: [{ uri }] }))
    assert.equal(line.json<{ results: { code: string }[] }>().results[0]?.code, 'attachment_not_found')
  }
  const missing = { trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41', step_id: 'st_01h2xcejqtf2nbrexx3vqjhp41' }
  const places = [
    [{ trace_id: foreign.traceId }, { trace_id: missing.trace_id }],
    [{ trace_id: foreign.traceId, step_id: foreign.stepId }, missing],
    [
      { trace_id: own.traceId, step_id: foreign.stepId },
      { trace_id: own.traceId, step_id: missing.step_id },
    ],
  ] as const
  for (const [theirs, none] of places) {
    const uploads = await Promise.all(
      [theirs, none].map((place) => own.client.call(uploadCall({ ...place, kind: 'file' }, { content: 'x' }))),
    )
    const signs = await Promise.all([theirs, none].map((place) => own.client.get(signedUrlPath(place, 'x'))))
    for (const pair of [uploads, signs]) {
      const texts = pair.map((answer) =>
        withoutIds(answer, [...Object.values(missing), foreign.traceId, foreign.stepId]),
      )
      assert.deepEqual(
        pair.map(({ status }) => status),
        [404, 404],
      )
      assert.equal(texts[0], texts[1])
    }
  }
  // The same bytes in both projects are two media, and neither reveals that the other exists.
  const content = `${SECRET} was here`
  const copy = await own.client.call(
    uploadCall({ trace_id: own.traceId, kind: 'file' }, { content, filename: 'own.log' }),
  )
  assert.equal(copy.json<{ uri: string }>().uri, `media://${own.projectId}/${sha256(content)}`)
  assert.match(
    String((await serve(own.client, copy.json<{ uri: string }>().uri)).headers['content-disposition']),
    /own\.log/,
  )
  assert.match(
    String((await serve(foreign.client, foreign.mediaUri)).headers['content-disposition']),
    /foreign-secret\.log/,
  )
})

test('metrics and events of another project are not used, recorded or listed', async () => {
  const post = (body: object) =>
    own.client.call({
      method: 'POST',
      path: '/v1/metrics/events',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const good = { name: own.metricName, trace_id: own.traceId, passed: true }
  const [noTrace, noStep] = ['tr_01h2xcejqtf2nbrexx3vqjhp41', 'st_01h2xcejqtf2nbrexx3vqjhp41']
  const pairs = [
    [{ ...good, name: foreign.metricName }, { ...good, name: 'nowhere' }, 'undefined_metric'],
    [{ ...good, trace_id: foreign.traceId }, { ...good, trace_id: noTrace }, 'unknown_trace'],
    [{ ...good, step_id: foreign.stepId }, { ...good, step_id: noStep }, 'unknown_step'],
  ] as const
  for (const [theirs, none, code] of pairs) {
    const answers = await Promise.all([theirs, none].map(post))
    for (const answer of answers) assert.deepEqual([answer.status, answer.json<{ code: string }>().code], [422, code])
    const ids = [foreign.metricName, 'nowhere', foreign.traceId, noTrace, foreign.stepId, noStep]
    const [first, second] = answers.map((answer) => withoutIds(answer, ids))
    assert.equal(first, second)
  }
  const filters = [`name=${encodeURIComponent(foreign.metricName)}`, `trace_id=${foreign.traceId}`]
  for (const filter of filters) {
    const listed = await own.client.get(`/v1/metrics/events?${filter}`)
    assert.deepEqual(listed.json(), { events: [], next_cursor: null })
  }
  for (const path of ['/v1/metrics', '/v1/metrics/events', `/v1/traces/${own.traceId}`]) {
    const { text } = await own.client.get(path)
    assert.ok(!text.includes(SECRET) && !text.includes(foreign.traceId), text)
  }
})

test('lists, filters, searches and cursors return nothing of another project', async () => {
  const paths = [
    '/v1/traces',
    '/v1/projects',
    ...['step_name', 'tool', 'argument'].map((field) => `/v1/steps/facets?field=${field}`),
    ...['name', 'model', 'session_id', 'user_id', 'meta_key', 'q'].map((filter) => `/v1/traces?${filter}=${SECRET}`),
    ...['step_count', 'total_tokens', 'duration_ms'].map((sort) => `/v1/traces?sort=${sort}&limit=1000`),
    `/v1/traces?cursor=${foreign.feedCursor}`,
    `/v1/traces?limit=1&cursor=${foreign.feedCursor}`,
    `/v1/traces/${own.traceId}/steps?cursor=${foreign.stepsCursor}`,
    `/v1/projects/${own.projectId}/keys?cursor=${foreign.keysCursor}`,
    '/v1/sessions',
    '/v1/users',
    '/v1/senders',
    ...['step_name', 'tool', 'argument'].map((field) => `/v1/steps/facets?field=${field}`),
    ...['name', 'model', 'session_id', 'user_id', 'metadata'].map((field) => `/v1/traces/facets?field=${field}`),
  ]
  for (const path of paths) {
    const answer = await own.client.get(path)
    assert.ok([200, 422].includes(answer.status), `${path}: ${answer.status} ${answer.text}`)
    for (const text of [SECRET, foreign.traceId, foreign.stepId, foreign.projectId, foreign.keyId]) {
      assert.ok(!answer.text.includes(text), `${path}: ${answer.text}`)
    }
  }
  const found = await own.client.get(`/v1/traces?name=${SECRET}`)
  assert.deepEqual(found.json(), { traces: [], next_cursor: null })
})

test('keys and ids of another project in a body are plain text', async () => {
  const retried = await own.client.postTrace({ name: 'x' }, { 'idempotency-key': 'the same in both' })
  assert.equal(retried.status, 409, 'the key is taken in this project, with other content')
  const lines = [
    { name: 'child of a foreign step', parent_step_id: foreign.stepId },
    { name: 'x', id: foreign.stepId },
  ]
  const appended = await own.client.append(own.traceId, lines.map((line) => JSON.stringify(line)).join('\n'))
  assert.deepEqual([appended.status, appended.json<{ errors: boolean }>().errors], [200, false], appended.text)
  const { steps } = (await own.client.get(`/v1/traces/${own.traceId}`)).json<{ steps: { id: string }[] }>()
  assert.equal(steps.at(-1)?.id, foreign.stepId)
  assert.ok((await foreign.client.get(`/v1/traces/${foreign.traceId}`)).text.includes(`"step_count":2`))
})

test('a session sees only the lists of its own project', async () => {
  const { client } = await signIn(own.client)
  for (const path of [
    '/v1/traces',
    '/v1/projects',
    '/v1/metrics',
    '/v1/metrics/events',
    '/v1/monitors',
    '/v1/session',
  ]) {
    const answer = await client.get(path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    for (const text of [SECRET, foreign.traceId, foreign.projectId, foreign.keyId]) {
      assert.ok(!answer.text.includes(text), `${path}: ${answer.text}`)
    }
  }
  assert.equal((await serve(client, own.mediaUri)).status, 200)
  const theirs = await serve(client, foreign.mediaUri)
  assert.deepEqual(
    [theirs.status, withoutIds(theirs, [])],
    [404, withoutIds(await serve(own.client, foreign.mediaUri), [])],
  )
})

test('a session without admin cannot switch to another project, nor learn whether it exists', async () => {
  const { client } = await signIn(own.client)
  const headers = { 'content-type': 'application/json' }
  const ids = [foreign.projectId, 'proj_01h2xcejqtf2nbrexx3vqjhp41', own.projectId]
  const answers = await Promise.all(
    ids.map((id) => {
      const body = JSON.stringify({ project_id: id })
      return client.call({ method: 'PATCH', path: '/v1/session', headers, body })
    }),
  )
  for (const answer of answers) assert.equal(answer.status, 403, answer.text)
  assert.equal(new Set(answers.map((answer) => withoutIds(answer, []))).size, 1)
  const { project_id } = (await client.get('/v1/session')).json<{ project_id: string }>()
  assert.equal(project_id, own.projectId)
})

test('a tail that resumes from a position of another project shows only its own traces', async () => {
  for (const position of ['0', foreign.lastEventId]) {
    const tail = await openTail(service.url, own.client.key as string, { 'last-event-id': position })
    await foreign.client.postTrace({ name: SECRET })
    const { id } = (await own.client.postTrace({ name: 'own' })).json<{ id: string }>()
    await tail.until(({ text }) => text.includes(id))
    const theirs = new Set((await foreign.client.get('/v1/traces?limit=1000')).text.match(/tr_\w{26}/g))
    assert.deepEqual(
      (tail.text.match(/tr_\w{26}/g) ?? []).filter((seen) => theirs.has(seen)),
      [],
    )
    tail.close()
  }
})

test('without a valid key every operation gives the same 401', async () => {
  const revoked = await createKey(service.client, own.projectId, { scopes: ['read', 'ingest', 'manage'] })
  const path = `/v1/projects/${own.projectId}/keys/${revoked.id}`
  assert.equal((await service.client.call({ method: 'DELETE', path })).status, 204)
  const live = own.client.key as string
  const flipped = `${live.slice(0, -1)}${live.endsWith('0') ? '1' : '0'}`
  const keys = [
    null,
    '',
    'junk',
    "' OR 1=1 --",
    flipped,
    live.toLowerCase(),
    ` ${live}x`,
    newSecret(randomBytes),
    revoked.secret,
    await createExpiredKey(service.dataDir, own.projectId),
  ]
  const bodies = new Set<string>()
  for (const key of keys) {
    const client = service.client.as(key)
    // A signed URL has no key, and the answer to HEAD has no body.
    for (const operation of operations.filter(({ operationId }) => operationId !== 'putDirectUpload')) {
      for (const ids of [own, foreign]) {
        const answer = await send(client, operation, ids)
        assert.equal(answer.status, 401, `${operation.operationId} with ${key}: ${answer.status} ${answer.text}`)
        const { 'x-request-id': _id, date: _date, ...headers } = answer.headers
        if (operation.method === 'HEAD') assert.equal(answer.text, '')
        else bodies.add(`${withoutIds(answer, [])} ${JSON.stringify(headers)}`)
      }
    }
    client.close()
  }
  assert.equal(bodies.size, 1, [...bodies].join('\n'))
})

test('a key without the scope of an operation gets 403 insufficient_scope, whatever the ids', async () => {
  const all = ['ingest', 'read', 'media:sign', 'manage', 'admin']
  const scoped = operations.filter(({ operationId }) => scopesOf(operationId).length > 0)
  assert.ok(scoped.length >= 12)
  for (const operation of scoped) {
    const scopes = all.filter((scope) => !scopesOf(operation.operationId).includes(scope))
    const { secret } = await createKey(service.client, own.projectId, { scopes })
    const client = service.client.as(secret)
    for (const ids of [own, foreign]) {
      const answer = await send(client, operation, ids)
      const { code } = operation.method === 'HEAD' ? { code: 'insufficient_scope' } : answer.json<{ code: string }>()
      assert.deepEqual([answer.status, code], [403, 'insufficient_scope'], `${operation.operationId}: ${answer.text}`)
    }
    client.close()
  }
})

function scopesOf(operationId: string): readonly string[] {
  assert.ok(Object.hasOwn(OPERATIONS, operationId), operationId)
  return OPERATIONS[operationId as keyof typeof OPERATIONS].scopes ?? []
}
