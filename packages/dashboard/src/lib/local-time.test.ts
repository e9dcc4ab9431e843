import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLocalTime, printLocalTime, stepLocalTime } from './local-time.ts'

const local = (...fields: [number, number, number, number?, number?, number?]) => new Date(...fields).getTime()

test('a printed time parses again, with or without its end', () => {
  const time = local(2026, 0, 31, 23, 5, 9)
  assert.equal(printLocalTime(time), '2026-01-31 23:05:09')
  assert.equal(parseLocalTime('2026-01-31 23:05:09'), time)
  assert.equal(parseLocalTime(' 2026-01-31T23:05 '), time - 9000)
  assert.equal(parseLocalTime('2026-01-31 9:05'), local(2026, 0, 31, 9, 5))
  assert.equal(parseLocalTime('2026-01-31'), local(2026, 0, 31))
  assert.equal(parseLocalTime('2026-01-31T12:00:00.5Z'), Date.UTC(2026, 0, 31, 12, 0, 0, 500))
  assert.equal(parseLocalTime('2026-01-31 12:00+02:00'), Date.UTC(2026, 0, 31, 10))
})

test('invalid times are NaN', () => {
  for (const text of [
    '',
    'now',
    '2026',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31 25:00',
    '1/31/2026',
    '2026-01-31 1 PM',
  ])
    assert.ok(Number.isNaN(parseLocalTime(text)), text)
})

test('the part at the caret changes, and carries over', () => {
  const at = '2026-01-31 23:59:30'
  assert.deepEqual(stepLocalTime(at, 15, 1), { text: '2026-02-01 00:00:30', from: 14, to: 16 })
  assert.deepEqual(stepLocalTime(at, 9, -1), { text: '2026-01-30 23:59:30', from: 8, to: 10 })
  assert.deepEqual(stepLocalTime(at, 0, 1), { text: '2027-01-31 23:59:30', from: 0, to: 4 })
  assert.deepEqual(stepLocalTime('2026-01-31', 10, 1), { text: '2026-02-01 00:00:00', from: 8, to: 10 })
  assert.equal(stepLocalTime('then', 0, 1), null)
})
