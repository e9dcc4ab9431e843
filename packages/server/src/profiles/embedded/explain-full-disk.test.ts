import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { explainFullDisk } from './explain-full-disk.ts'

test('every way in which a full disk ends a start is one sentence that names the folder', () => {
  for (const error of [
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    Object.assign(new Error('EDQUOT: disk quota exceeded, write'), { code: 'EDQUOT' }),
    new Error('Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'),
    new Error('Code: 75. DB::Exception: Cannot write to file data.bin: , errno: 28, strerror: No space left on device'),
    new DomainError('disk_full', 'The disk that holds the control store is full.'),
    new Error('a migration failed', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) }),
  ]) {
    const explained = explainFullDisk(error, '/data') as Error
    assert.ok(explained instanceof OperatorError, error.message)
    assert.equal(explained.message, 'The disk that holds /data is full. Make space and start again.')
    assert.equal(explained.cause, error)
  }
})

test('any other error is returned unchanged, and so is one that is explained already', () => {
  for (const error of [
    new Error('a bug'),
    Object.assign(new Error('EIO: write'), { code: 'EIO' }),
    new DomainError('storage_unavailable', 'The store cannot be used.'),
    new OperatorError('The disk that holds /data/control.db is full. Make space and start again.'),
    'ENOSPC',
  ])
    assert.equal(explainFullDisk(error, '/data'), error)
})
