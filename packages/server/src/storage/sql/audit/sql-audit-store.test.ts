import { test } from 'node:test'
import { testAuditStore } from '../../../ports/audit/audit-store.conformance.ts'
import type { AccessTables } from '../access/access-tables.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryStore } from '../temporary-store.test-support.ts'
import type { AuditTables } from './audit-tables.ts'
import { SqlAuditStore } from './sql-audit-store.ts'

testAuditStore(async (context) => temporaryStore(context))

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<AuditTables & AccessTables>((database) => new SqlAuditStore(database))
})
