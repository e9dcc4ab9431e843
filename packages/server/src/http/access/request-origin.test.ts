import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { requestOrigin } from './request-origin.ts'

function originOf(
  host: string | undefined,
  { address = '127.0.0.1', proto }: { address?: string; proto?: string } = {},
) {
  const headers = {
    ...(host === undefined ? {} : { host }),
    ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }),
  }
  return requestOrigin({ headers, socket: { localAddress: address, localPort: 4319 } as Socket })
}

test('the origin is that of the Host header', () => {
  for (const [host, origin] of [
    ['localhost:4319', 'http://localhost:4319'],
    ['Traces.Example', 'http://traces.example'],
    ['spoor_service:4319', 'http://spoor_service:4319'],
    ['127.0.0.1:4319', 'http://127.0.0.1:4319'],
    ['[::1]:4319', 'http://[::1]:4319'],
    ['[::1]', 'http://[::1]'],
    ['traces.example:', 'http://traces.example'],
  ] as const) {
    assert.equal(originOf(host), origin)
  }
  assert.equal(originOf('traces.example:443', { proto: 'https' }), 'https://traces.example')
  assert.equal(originOf('traces.example', { proto: 'javascript' }), 'http://traces.example')
})

test('without a Host header, the origin is the address of the socket', () => {
  for (const [address, origin] of [
    ['127.0.0.1', 'http://127.0.0.1:4319'],
    ['::1', 'http://[::1]:4319'],
    ['2001:db8::7', 'http://[2001:db8::7]:4319'],
    ['::ffff:127.0.0.1', 'http://127.0.0.1:4319'],
  ] as const) {
    assert.equal(originOf(undefined, { address }), origin)
  }
})

test('refuses a Host header that is not a host name', () => {
  for (const host of [
    '',
    '::1',
    '::1:4319',
    '[::1',
    '[::::]',
    '[::1]x',
    '[v1.a]',
    'a/b',
    'a?b',
    'a#b',
    'user@host',
    'user:secret@host',
    'a\\b',
    'a b',
    'a\tb',
    'a\nb',
    'a,b',
    'a%2fb',
    '%61',
    'a:99999',
    'a:4319:1',
    'a:x',
    ':4319',
    'ex\u00e4mple',
    '"a"',
    '<a>',
    'a;b',
  ]) {
    assert.throws(() => originOf(host), { code: 'bad_request' }, JSON.stringify(host))
  }
})
