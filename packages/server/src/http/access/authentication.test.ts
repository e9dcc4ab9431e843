import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo, TRANSPORTS } from '../test-world/transports.test-support.ts'

const LIST = '/v1/traces'

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: accepts a key as a bearer token, alone or together with the same key`, async () => {
    const { app } = createHttpWorld()
    const send = await connect(app)
    for (const headers of [
      { authorization: 'Bearer own' },
      { authorization: 'bearer   own ' },
      { authorization: 'Bearer own', 'x-api-key': 'own' },
      // For a proxy in front, not for this service.
      { authorization: 'Basic b3duOm93bg==', 'x-api-key': 'own' },
    ]) {
      assert.equal((await send({ path: LIST, headers })).status, 200, JSON.stringify(headers))
    }
    const scoped = await send({ path: LIST, headers: { authorization: 'Bearer writer' } })
    assert.deepEqual([scoped.status, scoped.json().code], [403, 'insufficient_scope'])
  })

  test(`${name}: refuses two different keys, whichever is valid`, async () => {
    const { app } = createHttpWorld()
    const send = await connect(app)
    for (const [apiKey, bearer] of [
      ['own', 'foreign'],
      ['own', 'junk'],
      ['junk', 'own'],
      ['own', ''],
    ]) {
      const headers = { 'x-api-key': String(apiKey), authorization: `Bearer ${bearer}` }
      const answer = await send({ path: LIST, headers })
      assert.deepEqual([answer.status, answer.json().code], [400, 'bad_request'], JSON.stringify(headers))
      assert.match(answer.json().detail, /x-api-key and Authorization/)
    }
  })

  test(`${name}: every refusal has the same answer and names the scheme`, async () => {
    const { app } = createHttpWorld()
    const send = await connect(app)
    const bodies = new Set<string>()
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer junk' },
      { authorization: 'Bearer own own' },
      { authorization: 'Basic b3duOm93bg==' },
      { authorization: 'Bearers own' },
      { 'x-api-key': 'junk' },
    ]) {
      const answer = await send({ path: LIST, headers: { ...headers, 'x-request-id': 'same' } })
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Bearer realm="spoor"'])
      bodies.add(answer.text)
    }
    assert.equal(bodies.size, 1)
  })
}

test('a bearer token takes precedence over a session, and a foreign page cannot send one', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const signedIn = await sendTo(port, {
    method: 'POST',
    path: '/v1/session',
    headers: { 'content-type': 'application/json' },
    body: '{"key":"own"}',
  })
  const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] as string
  assert.equal((await sendTo(port, { path: LIST, headers: { cookie } })).status, 200)
  assert.equal((await sendTo(port, { path: LIST, headers: { cookie, authorization: 'Bearer junk' } })).status, 401)
  // A browser never adds it by itself, so it needs no own Origin; and no answer allows a foreign page to read it.
  const headers = {
    authorization: 'Bearer own',
    origin: 'https://elsewhere.example',
    'content-type': 'application/json',
  }
  const made = await sendTo(port, { method: 'POST', path: LIST, headers, body: '{"name":"run"}' })
  assert.equal(made.status, 202)
  assert.deepEqual(
    Object.keys(made.headers).filter((header) => header.startsWith('access-control')),
    [],
  )
})

test('no log line contains a key', async () => {
  const { app, traces, logLines } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  traces.failure = new Error('the store failed')
  const headers = { authorization: 'Bearer own', 'content-type': 'application/json' }
  assert.equal((await send({ method: 'POST', path: LIST, headers, body: '{"name":"x"}' })).status, 500)
  const logged = logLines.join('')
  assert.ok(logged.includes('the store failed'))
  assert.doesNotMatch(logged, /bearer|\bown\b/i)
})
