import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { compiledForPostgresql } from './compiled-for-postgresql.test-support.ts'
import { allParts, listStatement, readParts } from './list-statement.ts'
import { run, type SqlDatabase, type Work } from './sql-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'

interface Schema {
  pets: { id: number; kind: string }
}

const TABLE = 'CREATE TABLE pets (id INTEGER PRIMARY KEY, kind TEXT NOT NULL) STRICT'

const statementsOn = (database: SqlDatabase<Schema>) => ({
  found: listStatement(database, (queries, ids: readonly number[], { kind }: { kind: string }) =>
    queries.selectFrom('pets').select('id').where('id', 'in', ids).where('kind', '=', kind),
  ),
  removed: listStatement(database, (queries, ids: readonly number[], _none: object) =>
    queries.deleteFrom('pets').where('id', 'in', ids).returning('id'),
  ),
})

async function createWorld(pets: number) {
  const connection = new DatabaseSync(':memory:')
  connection.exec(TABLE)
  const database = new SqliteDatabase<Schema>(connection)
  const insert = database.statement((queries, pet: Schema['pets']) =>
    queries.insertInto('pets').values({ id: pet.id, kind: pet.kind }),
  )
  await database.write(function* (): Work<void> {
    for (let id = 0; id < pets; id++) yield* run(insert({ id, kind: id % 2 === 0 ? 'cat' : 'dog' }))
  })
  return { database, sql: statementsOn(database) }
}

test('a list of any length is queried in parts, and each value is found once', async () => {
  const { database, sql } = await createWorld(2000)
  for (const length of [0, 1, 8, 9, 64, 65, 512, 513, 1025]) {
    const ids = Array.from({ length }, (_, index) => index)
    const parts = sql.found(ids, { kind: 'dog' })
    assert.equal(parts.length, Math.ceil(length / 512))
    const found = (await readParts(database, parts)).map(({ id }) => id)
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      ids.filter((id) => id % 2 === 1),
    )
  }
})

test('in a transaction, the rows of all parts are returned', async () => {
  const { database, sql } = await createWorld(600)
  const ids = Array.from({ length: 600 }, (_, index) => index)
  const removed = await database.write(() => allParts(sql.removed(ids, {})))
  assert.equal(removed.length, 600)
  assert.deepEqual(await readParts(database, sql.found([0, 1], { kind: 'cat' })), [])
})

test('lists of many lengths share three statements', async () => {
  const { sql } = await createWorld(0)
  const texts = Array.from({ length: 100 }, (_, index) => sql.found([...Array(index + 1).keys()], { kind: 'cat' }))
  assert.equal(new Set(texts.flat().map((statement) => statement.sql)).size, 3)
})

test('a list statement compiles for PostgreSQL', () => {
  assert.match(compiledForPostgresql<Schema>(statementsOn, TABLE)[0]!, /"id" in \(\$1, .*\$8\) and "kind" = \$9/)
})
