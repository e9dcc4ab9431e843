import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { AuditEntry } from '@spoor/contract/schemas/audit'
import { createStillWorld, type HttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../test-world/transports.test-support.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const ADMIN = { 'x-api-key': 'admin' }

async function entriesOf(send: Send, query = '', headers = ADMIN): Promise<readonly AuditEntry[]> {
  const answer = await send({ path: `/v1/audit${query}`, headers })
  assert.equal(answer.status, 200, answer.text)
  return answer.json().entries
}

function post(send: Send, path: string, body: object, headers: Record<string, string> = ADMIN, method = 'POST') {
  return send({ method, path, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  const open = async (): Promise<HttpWorld & { readonly send: Send }> => {
    const world = createStillWorld()
    return { ...world, send: await connect(world.app) }
  }

  test(`${name}: what succeeded is in the audit log: who, what, to which, and no secret`, async () => {
    const { send, ownProject, access } = await open()
    const keys = `/v1/projects/${ownProject}/keys`
    const made = (await post(send, keys, { name: 'k', scopes: ['read'], requests_per_second: 5 })).json()
    await send({ method: 'DELETE', path: `${keys}/${made.id}`, headers: { ...ADMIN, 'x-request-id': 'mine' } })
    const secret = 'a secret of sixteen'
    const url = 'https://example.com/hidden'
    const hook = { url, events: ['trace.committed'], secret }
    assert.equal((await post(send, `/v1/projects/${ownProject}/webhooks`, hook, { 'x-api-key': 'own' })).status, 201)
    assert.equal((await post(send, '/v1/session', { key: 'own' }, {})).status, 201)
    const [session, webhook, revoked, created, ...others] = await entriesOf(send)
    assert.deepEqual(others, [])
    const actor = { kind: 'key', id: access.keys.get('admin')?.keyId, name: null }
    assert.deepEqual(created?.actor, actor)
    assert.deepEqual([created?.action, created?.target], ['key.created', { kind: 'key', id: made.id }])
    assert.deepEqual(created?.detail, { name: 'k', scopes: ['read'], requests_per_second: 5 })
    assert.deepEqual([revoked?.action, revoked?.target.id, revoked?.request_id], ['key.revoked', made.id, 'mine'])
    assert.deepEqual(webhook?.detail, { events: ['trace.committed'], other_fields: ['url', 'secret'] })
    assert.match(`${webhook?.target.id}`, /^wh_/)
    const own = access.keys.get('own')?.keyId
    assert.deepEqual(session?.actor, { kind: 'session', id: own, name: null })
    assert.deepEqual([session?.action, session?.detail], ['session.started', { other_fields: ['key'] }])
    assert.doesNotMatch(JSON.stringify([session, webhook]), /sixteen|hidden|"own"/)
  })

  test(`${name}: what failed is not in the audit log, and reads are not, except exports`, async () => {
    const { send, ownProject } = await open()
    const keys = `/v1/projects/${ownProject}/keys`
    assert.equal((await post(send, keys, { name: '', scopes: [] })).status, 422)
    assert.equal((await send({ method: 'DELETE', path: `${keys}/key_nothing`, headers: ADMIN })).status, 404)
    await send({ path: keys, headers: ADMIN })
    await send({ path: '/v1/export?what=traces&format=csv&user_id=u', headers: { 'x-api-key': 'own' } })
    const [read, ...others] = await entriesOf(send)
    assert.deepEqual(others, [])
    assert.deepEqual([read?.action, read?.target], ['export.read', { kind: 'export', id: null }])
    assert.deepEqual(read?.detail, { what: 'traces', format: 'csv', other_fields: ['user_id'] })
  })

  test(`${name}: of a long value the log has its hash, its length and those of its lists`, async () => {
    const { send, ownProject } = await open()
    const masking = {
      fields: ['metadata.secret'],
      detectors: [],
      patterns: Array.from({ length: 20 }, (_, n) => ({ name: `own_${n}`, pattern: `secret-${n}-${'x'.repeat(150)}` })),
    }
    const answer = await post(send, `/v1/projects/${ownProject}`, { masking }, ADMIN, 'PATCH')
    assert.equal(answer.status, 200, answer.text)
    const json = JSON.stringify(masking)
    const [changed] = await entriesOf(send)
    const counts = { fields: 1, detectors: 0, patterns: 20 }
    const summary = { characters: json.length, sha256: hash('sha256', json), counts }
    assert.deepEqual([changed?.action, changed?.detail], ['project.changed', { masking: summary }])
  })

  test(`${name}: an admin's change of a key is in the log of the key's project`, async () => {
    const { send, foreignProject } = await open()
    await post(send, `/v1/projects/${foreignProject}/keys`, { name: 'k', scopes: ['read'] })
    assert.deepEqual(await entriesOf(send), [])
    const [made] = await entriesOf(send, '', { 'x-api-key': 'foreign' })
    assert.equal(made?.action, 'key.created')
  })

  test(`${name}: refusals are recorded once a minute for each key and operation`, async () => {
    const world = createStillWorld()
    const send = await connect(world.app)
    const read = (headers: Record<string, string>) => send({ path: '/v1/traces', headers })
    for (let i = 0; i < 3; i++) assert.equal((await read({ 'x-api-key': 'writer' })).status, 403)
    for (let i = 0; i < 2; i++) assert.equal((await read({ 'x-api-key': 'junk' })).status, 401)
    const found = await entriesOf(send)
    const writer = world.access.keys.get('writer')?.keyId
    assert.deepEqual(
      found.map(({ action, actor, target, detail }) => [action, actor.id, target.id, detail['not_recorded']]),
      [
        ['access.refused', null, 'GET /v1/traces', 2],
        ['access.refused', writer, 'GET /v1/traces', undefined],
      ],
    )
    // A key without admin sees only its own project.
    assert.equal((await entriesOf(send, '', { 'x-api-key': 'own' })).length, 1)
    world.timers.advance(60_000)
    await read({ 'x-api-key': 'junk' })
    assert.equal((await entriesOf(send))[0]?.detail['not_recorded'], 1)
  })

  test(`${name}: a request that is refused writes nothing into the log of another project`, async () => {
    const { send, foreignProject } = await open()
    const body = { name: 'other' }
    const { status } = await post(send, `/v1/projects/${foreignProject}`, body, { 'x-api-key': 'writer' }, 'PATCH')
    assert.equal(status, 403)
    assert.deepEqual(await entriesOf(send, '', { 'x-api-key': 'foreign' }), [])
    const [refused] = await entriesOf(send, '', { 'x-api-key': 'own' })
    assert.equal(refused?.action, 'access.refused')
  })

  test(`${name}: refusals of unknown senders do not fill the log`, async () => {
    const { send } = await open()
    for (let i = 0; i < 70; i++) {
      await send({ method: 'DELETE', path: '/v1/traces/tr_x', headers: { 'x-api-key': 'junk' } })
      await send({ path: i % 2 === 0 ? '/v1/steps' : '/v1/sessions', headers: {} })
    }
    assert.equal((await entriesOf(send)).length, 3)
  })
}

test('the audit log is filtered, paged and exported', async () => {
  const { app, ownProject } = createStillWorld()
  const send = await TRANSPORTS['memory']!(app)
  const keys = `/v1/projects/${ownProject}/keys`
  const made = (await post(send, keys, { name: 'k', scopes: ['read'] })).json()
  await post(send, `${keys}/${made.id}`, { bytes_per_second: 2000 }, ADMIN, 'PATCH')
  const actions = async (query: string) => (await entriesOf(send, query)).map(({ action }) => action)
  assert.deepEqual(await actions('?action=key.changed'), ['key.changed'])
  assert.deepEqual(await actions(`?target=${made.id}`), ['key.changed', 'key.created'])
  assert.deepEqual(await actions('?actor=nobody'), [])
  const { next_cursor: cursor } = (await send({ path: '/v1/audit?limit=1', headers: ADMIN })).json()
  assert.deepEqual(await actions(`?limit=1&cursor=${cursor}`), ['key.created'])
  const refused = await send({ path: '/v1/audit?cursor=junk', headers: ADMIN })
  assert.equal(refused.json().code, 'invalid_cursor')
  const file = await send({ path: '/v1/export?what=audit&format=jsonl', headers: { 'x-api-key': 'own' } })
  const lines = file.text.trimEnd().split('\n')
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { complete: true, rows: lines.length - 1 })
  assert.match(file.text, /"key.changed"/)
})
