import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnOrigin, refuseForeignOrigin, requireOwnOrigin } from './own-origin.ts'

test('a page of this service has the host and port of the request', () => {
  for (const [host, origin] of [
    ['127.0.0.1:4319', 'http://127.0.0.1:4319'],
    ['localhost:4319', 'http://localhost:4319'],
    ['[::1]:4319', 'http://[::1]:4319'],
    ['traces.example', 'https://traces.example'],
    ['Traces.Example', 'https://traces.example'],
    ['traces.example:443', 'https://traces.example'],
    ['traces.example:80', 'http://traces.example'],
    ['traces.example:8443', 'https://traces.example:8443'],
  ] as const) {
    assert.ok(isOwnOrigin({ host, origin }), `${host} ${origin}`)
  }
})

test('every other origin is foreign, and so is a missing one', () => {
  const host = 'traces.example:4319'
  for (const origin of [
    undefined,
    '',
    'null',
    'https://traces.example',
    'https://traces.example:4320',
    'https://evil.example:4319',
    'https://traces.example:4319.evil.example',
    'https://evil.traces.example:4319',
    'https://traces.example:4319/',
    'https://user@traces.example:4319',
    'https://traces.example:4319, https://traces.example:4319',
    'HTTPS://traces.example:4319',
    'ftp://traces.example:4319',
    'file://',
    'traces.example:4319',
    '//traces.example:4319',
    'https:traces.example:4319',
    ' https://traces.example:4319',
  ]) {
    assert.ok(!isOwnOrigin({ host, ...(origin === undefined ? {} : { origin }) }), origin)
  }
  assert.ok(!isOwnOrigin({ origin: 'http://traces.example' }))
  for (const wrong of ['', 'a/b', 'user@traces.example', 'traces.example:99999', 'traces.example#']) {
    assert.ok(!isOwnOrigin({ host: wrong, origin: `http://${wrong}` }), wrong)
  }
})

test('a change by cookie needs an own origin; signing in only refuses a foreign one', () => {
  const host = 'localhost'
  requireOwnOrigin({ host, origin: 'http://localhost' })
  refuseForeignOrigin({ host, origin: 'http://localhost' })
  refuseForeignOrigin({ host })
  for (const refused of [
    () => requireOwnOrigin({ host }),
    () => requireOwnOrigin({ host, origin: 'http://other' }),
    () => refuseForeignOrigin({ host, origin: 'null' }),
  ]) {
    assert.throws(refused, { code: 'foreign_origin' })
  }
})
