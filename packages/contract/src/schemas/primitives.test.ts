import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { isId } from '../ids.ts'
import { idString, nullableInteger, nullablePrintedTime, printedTime } from './primitives.ts'

test('the pattern of an id accepts exactly what isId accepts', () => {
  const schema = Compile(idString('tr', 'A trace.'))
  const character = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABZ_-\n')
  const suffix = fc.array(character, { minLength: 25, maxLength: 27 }).map((characters) => characters.join(''))
  const wellFormed = fc.stringMatching(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  const prefix = fc.constantFrom('tr_', 'st_', 'tr', 'TR_', '')
  fc.assert(
    fc.property(prefix, fc.oneof(suffix, wellFormed), (start, rest) => {
      assert.equal(schema.Check(start + rest), isId('tr', start + rest))
    }),
  )
  assert.ok(schema.Check('tr_01jv8m0000e00880000000000a'))
})

test('a printed time has the format of toISOString', () => {
  const schema = Compile(printedTime('A time.'))
  const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  fc.assert(fc.property(dates, (date) => schema.Check(date.toISOString())))
  for (const other of ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000+00:00', '2026-01-31', '', null]) {
    assert.equal(schema.Check(other), false, String(other))
  }
})

test('a nullable schema accepts null and still refuses invalid values', () => {
  assert.ok(Compile(nullablePrintedTime('A time.')).Check(null))
  assert.equal(Compile(nullablePrintedTime('A time.')).Check('yesterday'), false)
  const duration = Compile(nullableInteger({ minimum: 0 }))
  assert.deepEqual(
    [null, 0, -1, 1.5].map((value) => duration.Check(value)),
    [true, true, false, false],
  )
})
