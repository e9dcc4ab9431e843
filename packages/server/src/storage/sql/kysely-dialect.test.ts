import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createQueries, executeAtomically } from './kysely-dialect.ts'

function openTable(): { database: DatabaseSync; queries: ReturnType<typeof createQueries> } {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL)')
  return { database, queries: createQueries(database) }
}

const row = (id: string) => ({ id, name: 'n', created_at: 1 })

test('reads, writes and streams go through', async () => {
  const { queries } = openTable()
  const inserted = await queries
    .insertInto('projects')
    .values([row('a'), row('b')])
    .executeTakeFirst()
  assert.equal(inserted.numInsertedOrUpdatedRows, 2n)
  assert.equal((await queries.deleteFrom('projects').where('id', '=', 'a').executeTakeFirst()).numDeletedRows, 1n)
  const streamed = []
  for await (const found of queries.selectFrom('projects').selectAll().stream()) streamed.push({ ...found })
  assert.deepEqual(streamed, [row('b')])
})

test('a transaction that would stay open over a wait is refused', async () => {
  const { database, queries } = openTable()
  const inTransaction = queries
    .transaction()
    .execute((inner) => inner.insertInto('projects').values(row('a')).execute())
  await assert.rejects(inTransaction, /use executeAtomically/)
  assert.equal(database.isTransaction, false)
})

test('writes together are all kept or none', async () => {
  const { database, queries } = openTable()
  const insert = (id: string) => queries.insertInto('projects').values(row(id)).compile()
  assert.throws(() => executeAtomically(database, [insert('a'), insert('b'), insert('a')]), /UNIQUE/)
  assert.deepEqual(await queries.selectFrom('projects').selectAll().execute(), [])
  executeAtomically(database, [insert('a'), insert('b')])
  assert.equal((await queries.selectFrom('projects').selectAll().execute()).length, 2)
})

test('a value SQLite has not is refused before it reaches it', async () => {
  const { queries } = openTable()
  const wrong = queries.insertInto('projects').values({ ...row('a'), name: true as unknown as string })
  await assert.rejects(wrong.execute(), /no value for a parameter of type boolean/)
})
