import { test } from 'node:test'
import { testJournal } from '../../../ports/journal/journal.conformance.ts'
import { appendCommit, journalSqlOn } from '../journal/journal-work.ts'
import { SqlJournal } from '../journal/sql-journal.ts'
import { testPostgresql } from './test-postgresql.test-support.ts'

const server = await testPostgresql()
if (typeof server === 'string') test('the journal on PostgreSQL', { skip: server }, () => undefined)
else {
  testJournal(async (context) => {
    const database = (await server.open(context)).uncounted()
    const sql = journalSqlOn(database)
    return { journal: new SqlJournal(database), write: (commit) => database.write(() => appendCommit(sql, commit)) }
  })
}
