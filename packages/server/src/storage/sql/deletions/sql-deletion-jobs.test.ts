import { test } from 'node:test'
import { testDeletionJobs } from '../../../ports/traces/deletion-jobs.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryStore } from '../temporary-store.test-support.ts'
import type { DeletionTables } from './deletion-tables.ts'
import { SqlDeletionJobs } from './sql-deletion-jobs.ts'

testDeletionJobs(async (context) => temporaryStore(context))

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<DeletionTables>((database) => new SqlDeletionJobs(database))
})
