import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import type { DomainError } from '../../lib/domain-error.ts'
import { compileHeaders } from './headers.ts'

test('refuses a header that does not match its schema, by its name', () => {
  const check = compileHeaders(OPERATIONS.commitTrace)
  for (const key of [undefined, 'a', 'a, b', 'x'.repeat(1000)]) {
    check({ 'x-other': '', ...(key !== undefined && { 'idempotency-key': key }) })
  }
  for (const [key, code, message] of [
    ['', 'too_short', 'Idempotency-Key: It must not be empty.'],
    ['x'.repeat(1001), 'too_long', 'Idempotency-Key: It must have at most 1000 characters.'],
  ] as const) {
    assert.throws(
      () => check({ 'idempotency-key': key }),
      ({ code: whole, message: detail, errors }: DomainError) => {
        assert.deepEqual([whole, detail], ['validation_failed', message])
        assert.deepEqual(
          errors.map((error) => [error.pointer, error.code]),
          [['Idempotency-Key', code]],
        )
        return true
      },
    )
  }
})

test('refuses with the code of the operation where it names one', () => {
  const check = compileHeaders(OPERATIONS.tailTraces)
  for (const id of ['', '0', '9'.repeat(15)]) check({ 'last-event-id': id })
  for (const id of ['9x', '-1', '9'.repeat(16)]) {
    assert.throws(() => check({ 'last-event-id': id }), {
      code: 'invalid_position',
      message: 'Last-Event-ID is not a position of this stream.',
    })
  }
})
