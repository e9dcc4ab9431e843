import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { aView, OTHER, OWN, testViewStore } from '../../../ports/views/view-store.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import { SqlViewStore } from './sql-view-store.ts'
import type { ViewTables } from './view-tables.ts'

async function open(context: TestContext, dataDir = temporaryFolder(context)) {
  const store = temporaryStore(context, { dataDir })
  for (const id of [OWN, OTHER]) await store.projects.create({ id, name: 'p', createdAt: 0 }, [])
  return store.views
}

testViewStore(open)

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<ViewTables>((database) => new SqlViewStore(database))
})

test('views are durable, and another process sees them', async (context) => {
  const dataDir = temporaryFolder(context)
  await (await open(context, dataDir)).add(aView(1), 9)
  assert.deepEqual(await temporaryStore(context, { dataDir }).views.list(OWN, null, 9), [aView(1)])
})
