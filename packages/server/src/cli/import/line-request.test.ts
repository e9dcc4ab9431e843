import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLineRequest } from './line-request.ts'

const requestOf = (line: object) => toLineRequest(Buffer.from(JSON.stringify(line)))

test('a line of a recorder calls what its kind may call, and nothing else', () => {
  const body = { a: 1 }
  const flag = requestOf({ kind: 'flag', path: '/v1/traces/tr_1', body })
  assert.deepEqual([flag.kind, 'path' in flag && flag.path], ['call', 'v1/traces/tr_1'])
  for (const [kind, path] of [
    ['flag', '//other.example/v1/traces/tr_1'],
    ['flag', '/v1/traces/../keys'],
    ['metric', '/v1/traces/tr_1'],
    ['metric', 'http://other.example/v1/metrics/events'],
    ['constructor', '/v1/metrics/events'],
    ['__proto__', '/v1/metrics/events'],
    ['toString', '/v1/metrics/events'],
  ]) {
    assert.equal(requestOf({ kind, path, body }).kind, 'invalid', `${kind} ${path}`)
  }
})
