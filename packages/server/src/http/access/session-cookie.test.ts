import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printNoSessionCookie, printSessionCookie, sessionToken } from './session-cookie.ts'

test('the cookie is for this host alone, and scripts and other sites cannot use it', () => {
  const headers = { host: '127.0.0.1:4319' }
  assert.equal(
    printSessionCookie(headers, 'token', 60_999),
    'spoor_session_4319=token; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
  )
  assert.equal(printNoSessionCookie(headers), 'spoor_session_4319=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
  assert.match(printSessionCookie(headers, 'token', -1), /Max-Age=0;/)
})

test('the cookie is Secure only if a proxy or the page says that TLS is used', () => {
  const host = 'traces.example'
  const isSecure = (headers: object) => printSessionCookie({ host, ...headers }, 't', 0).endsWith('; Secure')
  assert.ok(isSecure({ 'x-forwarded-proto': 'https' }))
  assert.ok(isSecure({ origin: 'https://traces.example' }))
  for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { origin: 'http://traces.example' }]) {
    assert.ok(!isSecure(headers), JSON.stringify(headers))
  }
})

test('services on different ports of a host have different cookies', () => {
  const cookie = 'spoor_session=none; spoor_session_80=first; other=x; spoor_session_4319=second'
  for (const [host, token] of [
    ['localhost', 'none'],
    ['localhost:80', 'first'],
    ['localhost:4319', 'second'],
    ['[::1]:4319', 'second'],
    ['[::1]', 'none'],
    ['localhost:1', undefined],
    ['localhost:', 'none'],
    ['localhost:4319; Domain=x', 'none'],
    [undefined, 'none'],
  ] as const) {
    assert.equal(sessionToken(host === undefined ? { cookie } : { cookie, host }), token, host)
  }
})

test('two different cookies or an empty one give no token', () => {
  assert.equal(sessionToken({ cookie: 'spoor_session=a; spoor_session=b' }), undefined)
  assert.equal(sessionToken({ cookie: 'spoor_session=a; spoor_session=a' }), 'a')
  assert.equal(sessionToken({ cookie: 'spoor_session=' }), undefined)
  assert.equal(sessionToken({ cookie: 'spoor_session=; spoor_session=a' }), undefined)
  assert.equal(sessionToken({}), undefined)
})

test('reads the cookie that it sets', () => {
  for (const host of ['localhost', 'localhost:4319', '[::1]:1']) {
    const [cookie] = printSessionCookie({ host }, 'token', 1000).split(';')
    assert.equal(sessionToken({ host, cookie: String(cookie) }), 'token')
  }
})
