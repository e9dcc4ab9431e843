import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { SharedWrites } from './shared-writes.ts'
import { temporaryFolder } from './temporary-store.test-support.ts'

function openWrites(context: TestContext) {
  const path = join(temporaryFolder(context), 'writes.db')
  const connect = () => {
    const database = new DatabaseSync(path, { timeout: 0 })
    context.after(() => database.close())
    return database
  }
  const database = connect()
  database.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY, text TEXT)')
  const insert = database.prepare('INSERT INTO numbers VALUES (?, ?)')
  const transactions = context.mock.method(database, 'exec')
  return {
    connect,
    database,
    writes: new SharedWrites(database),
    insert: (number: number, text = '') => insert.run(number, text).changes,
    begun: () => transactions.mock.calls.filter(({ arguments: [sql] }) => sql.startsWith('BEGIN')).length,
    stored: () => database.prepare('SELECT number FROM numbers').all(),
  }
}

function codesOf(outcomes: readonly PromiseSettledResult<unknown>[]) {
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof DomainError ? outcome.reason.code : outcome.status,
  )
}

test('waiting writes share one transaction', async (context) => {
  const { writes, insert, begun, stored } = openWrites(context)
  await Promise.all([1, 2, 3].map((number) => writes.run(() => insert(number))))
  assert.deepEqual([begun(), stored().length], [1, 3])
})

test('only the write that fails is rejected', async (context) => {
  const { writes, insert, begun, stored } = openWrites(context)
  const outcomes = await Promise.allSettled([1, 1, 2].map((number) => writes.run(() => insert(number))))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual([begun(), stored().length], [4, 2])
})

test('a lock of another process is waited for once for all waiting writes', async (context) => {
  const { writes, insert, begun, stored, connect } = openWrites(context)
  const other = connect()
  other.exec('BEGIN IMMEDIATE')
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((number) => writes.run(() => insert(number))))
  assert.deepEqual([codesOf(outcomes), begun()], [Array(4).fill('storage_unavailable'), 1])
  other.exec('ROLLBACK')
  await writes.run(() => insert(5))
  assert.equal(stored().length, 1)
})

test('a full disk rejects all waiting writes at once', async (context) => {
  const { writes, insert, begun, stored, database } = openWrites(context)
  database.exec('PRAGMA max_page_count = 3')
  const outcomes = await Promise.allSettled(
    [1, 2].map((number) => writes.run(() => insert(number, 'x'.repeat(20_000)))),
  )
  assert.deepEqual([codesOf(outcomes), begun(), stored()], [['disk_full', 'disk_full'], 1, []])
})
