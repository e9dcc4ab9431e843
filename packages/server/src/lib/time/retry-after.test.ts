import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(2026, 2, 3, 12)

test('parses seconds and HTTP dates', () => {
  assert.equal(parseRetryAfter('0', NOW), 0)
  assert.equal(parseRetryAfter('120', NOW), 120_000)
  assert.equal(parseRetryAfter(' 7 ', NOW), 7000)
  assert.equal(parseRetryAfter('Tue, 03 Mar 2026 12:00:30 GMT', NOW), 30_000)
  assert.equal(parseRetryAfter('Tue, 03 Mar 2026 12:00:00 GMT', NOW), 0)
})

test('ignores any other value', () => {
  for (const value of [
    undefined,
    '',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '99999999999',
    '9'.repeat(400),
    '5, 5',
    'Tue, 03 Mar 2026 11:59:59 GMT',
    'Sun Nov  6 08:49:37 1994',
    '2026-03-03T12:00:30Z',
    'Tue, 99 Mar 2026 12:00:30 GMT',
    'Tue, 03 Mar 2036 12:00:30 GMT',
  ])
    assert.equal(parseRetryAfter(value, NOW), null, value)
})
