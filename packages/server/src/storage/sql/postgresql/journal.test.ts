import { test } from 'node:test'
import { testJournal } from '../../../ports/journal/journal.conformance.ts'
import { SqlJournal } from '../journal/sql-journal.ts'
import { testPostgresql } from './test-postgresql.test-support.ts'

const server = await testPostgresql()
if (typeof server === 'string') test('the journal on PostgreSQL', { skip: server }, () => undefined)
else {
  testJournal(async (context) => {
    const journal = new SqlJournal((await server.open(context)).uncounted())
    return { journal, write: (commit) => journal.append(commit) }
  })
}
