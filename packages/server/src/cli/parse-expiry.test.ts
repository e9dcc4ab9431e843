import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from './command.ts'
import { parseExpiry } from './parse-expiry.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

test('spans count from now, days begin at midnight UTC, times carry their zone', () => {
  const parsed = ['12h', '30d', '2w', '2030-12-31', '2030-12-31T18:00Z', '2030-12-31T18:00:00.5+02:00'].map((text) => {
    return new Date(parseExpiry(text, NOW)).toISOString()
  })
  assert.deepEqual(parsed, [
    '2030-01-01T12:00:00.000Z',
    '2030-01-31T00:00:00.000Z',
    '2030-01-15T00:00:00.000Z',
    '2030-12-31T00:00:00.000Z',
    '2030-12-31T18:00:00.000Z',
    '2030-12-31T16:00:00.500Z',
  ])
})

test('anything else is wrong usage', () => {
  for (const text of [
    '',
    'soon',
    '30',
    'd',
    '30m',
    '1.5d',
    '-1d',
    '2030-02-30',
    '2030-13-01',
    '2030-12-31T18:00',
    '12/31/2030',
  ]) {
    assert.throws(() => parseExpiry(text, NOW), UsageError, text)
  }
})
