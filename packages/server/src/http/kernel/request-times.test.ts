import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestTime } from '@spoor/contract/schemas/primitives'
import { Type } from 'typebox'
import { DomainError } from '../../lib/domain-error.ts'
import { compileQuery } from './query.ts'
import { bodyTime } from './request-times.ts'

const readQuery = compileQuery(
  Type.Object({ t: Type.Optional(requestTime('A time.')) }, { additionalProperties: false }),
)
const queryTime = (text: string) => readQuery(`/?t=${text}`).t

test('accepts ISO 8601 times, also with an unescaped plus sign', () => {
  assert.deepEqual(readQuery('/'), {})
  assert.equal(queryTime('1970-01-01T00:00:01Z'), 1000)
  assert.equal(queryTime('1970-01-01t00:00z'), 0)
  assert.equal(queryTime('1970-01-01T01:00:00.5+01:00'), 500)
  assert.equal(queryTime('1970-01-01T01:00:00.5%2B01:00'), 500)
  assert.equal(queryTime('1970-01-02'), 86_400_000)
})

test('refuses everything else, and days and hours that do not exist', () => {
  for (const [bad, code] of [
    ['', 'too_short'],
    ['0', 'invalid_format'],
    ['yesterday', 'invalid_format'],
    ['1970-13-01T00:00:00Z', 'invalid_format'],
    ['1970-01-01T00:00:00', 'invalid_format'],
    ['1970-01-01 00:00', 'invalid_format'],
    ['1970-01-01T24:01:00Z', 'invalid_format'],
    ['2026-02-31', 'invalid_format'],
    ['2026-02-29T00:00:00Z', 'invalid_format'],
    ['2026-04-31T00:00:00Z', 'invalid_format'],
  ] as const) {
    const errorOf = (error: unknown) => {
      assert.ok(error instanceof DomainError)
      assert.deepEqual(
        [error.code, error.errors.map((field) => `${field.pointer} ${field.code}`)],
        ['validation_failed', [`?t ${code}`]],
        bad,
      )
      return true
    }
    assert.throws(() => queryTime(bad), errorOf, bad)
  }
})

test('a time of a body with another schema follows the same calendar', () => {
  assert.equal(bodyTime('/t', null), null)
  assert.equal(bodyTime('/t', '1970-01-01T00:00:01Z'), 1000)
  assert.throws(() => bodyTime('/t', '2026-02-31'), {
    message: '/t: It must be an ISO 8601 time, like 2026-01-31T12:00:00Z.',
  })
})
