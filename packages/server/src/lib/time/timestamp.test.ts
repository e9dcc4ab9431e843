import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTimestamp } from './timestamp.ts'

const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })

test('reads times printed by the platform', () => {
  fc.assert(fc.property(instant, (date) => assert.equal(readTimestamp(date.toISOString()), date.getTime())))
})

test('agrees with the platform on offsets and fractions', () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }).map((minutes) => {
    const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    return `${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
  })
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,9}$/))
  fc.assert(
    fc.property(instant, fraction, offset, (date, digits, zone) => {
      const text = `${date.toISOString().slice(0, 19)}${digits}${zone}`
      const expected = Date.parse(`${text.slice(0, 19)}${digits.slice(0, 4)}${zone}`)
      const inRange = expected >= 0 && expected < Date.UTC(10000, 0, 1)
      assert.equal(readTimestamp(text), inRange ? expected : 'out_of_range', text)
    }),
  )
})

test('handles edge cases', () => {
  for (const [text, reading] of [
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01t00:00:00z', 0],
    ['1970-01-01T00:00:00+00:01', 'out_of_range'],
    ['9999-12-31T23:59:59.9999999999Z', 253_402_300_799_999],
    ['9999-12-31T23:59:59-00:01', 'out_of_range'],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
    ['2023-02-29T00:00:00Z', 'not_on_calendar'],
    ['2100-02-29T00:00:00Z', 'not_on_calendar'],
    ['2024-04-31T00:00:00Z', 'not_on_calendar'],
    ['2016-12-31T23:59:60Z', 1_483_228_800_000],
  ] as const) {
    assert.equal(readTimestamp(text), reading, text)
  }
})
