import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { DomainError } from '../../../lib/domain-error.ts'
import { isConflict, isStalePlan, toDomainError } from './postgresql-error.ts'

function databaseError(code: string, message = 'a reason'): DatabaseError {
  return Object.assign(new DatabaseError(message, 0, 'error'), { code, severity: 'ERROR' })
}

test('errors of a server that cannot be used have the codes of the catalogue, with their cause', () => {
  const cases = [
    [databaseError('53100'), 'disk_full'],
    [databaseError('53300'), 'storage_unavailable'],
    [databaseError('57P01'), 'storage_unavailable'],
    [databaseError('08006'), 'storage_unavailable'],
    [databaseError('25006'), 'storage_unavailable'],
    [databaseError('40001'), 'storage_unavailable'],
    [new Error('Connection terminated unexpectedly'), 'storage_unavailable'],
    [new AggregateError([], ''), 'storage_unavailable'],
  ] as const
  for (const [error, code] of cases) {
    const failure = toDomainError(error)
    assert.ok(failure instanceof DomainError)
    assert.equal(failure.code, code)
    assert.equal(failure.cause, error)
  }
})

test('a bug is returned as it is', () => {
  for (const bug of [databaseError('23505'), databaseError('42601'), new TypeError('x')]) {
    assert.equal(toDomainError(bug), bug)
  }
})

test('conflicts of transactions and stale plans are told from other errors', () => {
  for (const code of ['40001', '40P01']) assert.ok(isConflict(toDomainError(databaseError(code))))
  for (const code of ['53300', '23505']) assert.ok(!isConflict(toDomainError(databaseError(code))))
  assert.ok(isStalePlan(databaseError('0A000', 'cached plan must not change result type')))
  assert.ok(!isStalePlan(databaseError('0A000', 'cannot do that')))
})
