import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './temporary-store.test-support.ts'
import { surveyWal } from './wal-survey.ts'

/** Creates a database as after a kill following so many transactions, and counts the rows that a reader finds. */
function killedAfter(context: TestContext, transactions: number) {
  const folder = temporaryFolder(context)
  const path = join(folder, 'one.db')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE rows (number)')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  for (let number = 0; number < transactions; number++) database.exec(`INSERT INTO rows VALUES (${number})`)
  const copy = join(folder, 'two.db')
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`)
  database.close()
  const rows = () => {
    const reader = new DatabaseSync(copy)
    try {
      return reader.prepare('SELECT count(*) AS count FROM rows').get()?.['count']
    } finally {
      reader.close()
    }
  }
  return { wal: `${copy}-wal`, rows }
}

test('counts the transactions that SQLite finds, and those after a flipped bit that it ignores', (context) => {
  for (const share of [0.1, 0.5, 0.9]) {
    const { wal, rows } = killedAfter(context, 40)
    assert.deepEqual(surveyWal(wal), { readable: 40, lost: 0 })
    const bytes = readFileSync(wal)
    const at = Math.floor(bytes.length * share)
    bytes[at] = (bytes[at] ?? 0) ^ 16
    writeFileSync(wal, bytes)
    const { readable, lost } = surveyWal(wal)
    assert.ok(lost > 0)
    assert.equal(readable + lost, 40)
    assert.equal(rows(), readable)
  }
})

test('a truncated end is not damage', (context) => {
  const { wal, rows } = killedAfter(context, 40)
  truncateSync(wal, readFileSync(wal).length - 1)
  const { readable, lost } = surveyWal(wal)
  assert.deepEqual([readable, lost], [39, 0])
  assert.equal(rows(), 39)
})

test('without a log, or with an empty or foreign one, nothing is lost', (context) => {
  const path = join(temporaryFolder(context), 'none-wal')
  assert.deepEqual(surveyWal(path), { readable: 0, lost: 0 })
  for (const content of ['', 'x'.repeat(31), 'x'.repeat(5000)]) {
    writeFileSync(path, content)
    assert.deepEqual(surveyWal(path), { readable: 0, lost: 0 })
  }
})
