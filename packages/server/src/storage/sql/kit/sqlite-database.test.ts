import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../temporary-store.test-support.ts'
import { all, first, run, type Work } from './sql-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'

interface Schema {
  pets: { id: number; name: string; tag: Uint8Array | null }
}

function createWorld() {
  const connection = new DatabaseSync(':memory:')
  connection.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag BLOB) STRICT')
  const database = new SqliteDatabase<Schema>(connection)
  const insert = database.statement((queries, pet: Schema['pets']) =>
    queries.insertInto('pets').values({ id: pet.id, name: pet.name, tag: pet.tag }),
  )
  const page = database.statement((queries, { after, limit }: { after: number; limit: number }) =>
    queries.selectFrom('pets').select(['id', 'name']).where('id', '>', after).orderBy('id').limit(limit),
  )
  return { connection, database, insert, page }
}

test('a statement is compiled once and bound by name for each use', async () => {
  const { database, insert, page } = createWorld()
  await database.write(function* (): Work<void> {
    yield* run(insert({ tag: null, name: 'a', id: 1 }))
    yield* run(insert({ id: 2, name: 'b', tag: Buffer.from('x') }))
    yield* run(insert({ id: 3, name: 'c', tag: null }))
  })
  assert.deepEqual(await database.read(page({ limit: 1, after: 1 })), [{ id: 2, name: 'b' }])
  assert.equal(page({ after: 0, limit: 9 }).sql, page({ after: 5, limit: 1 }).sql)
})

test('a transaction reads its own writes, returns a value and is atomic', async () => {
  const { database, insert, page } = createWorld()
  const count = await database.write(function* (): Work<number> {
    yield* run(insert({ id: 1, name: 'a', tag: null }))
    return (yield* all(page({ after: 0, limit: 9 }))).length
  })
  assert.equal(count, 1)
  const failing = database.write(function* (): Work<void> {
    yield* run(insert({ id: 2, name: 'b', tag: null }))
    throw new Error('cancelled')
  })
  await assert.rejects(failing, /cancelled/)
  assert.equal((await database.read(page({ after: 0, limit: 9 }))).length, 1)
})

test('of the writes of one turn, only the one that fails is rejected', async () => {
  const { database, insert, page } = createWorld()
  const add = (id: number) =>
    database.write(function* (): Work<void> {
      yield* run(insert({ id, name: 'a', tag: null }))
    })
  const outcomes = await Promise.allSettled([add(1), add(1), add(2)])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal((await database.read(page({ after: 0, limit: 9 }))).length, 2)
})

test('a transaction may handle the failure of a statement', async () => {
  const { database, insert, page } = createWorld()
  const added = await database.write(function* (): Work<boolean> {
    yield* run(insert({ id: 1, name: 'a', tag: null }))
    try {
      yield* run(insert({ id: 1, name: 'again', tag: null }))
      return true
    } catch {
      return (yield* first(page({ after: 0, limit: 1 })))?.name !== 'a'
    }
  })
  assert.equal(added, false)
})

test('a value of a type that SQLite does not have is an error, and nothing is written', async () => {
  const { database, insert, page } = createWorld()
  const add = database.write(function* (): Work<void> {
    yield* run(insert({ id: 1, name: true as never, tag: null }))
  })
  await assert.rejects(add, TypeError)
  assert.equal((await database.read(page({ after: 0, limit: 9 }))).length, 0)
})

test('the version changes after a write of another connection only', async (context) => {
  const path = join(temporaryFolder(context), 'pets.db')
  const [connection, other] = [new DatabaseSync(path), new DatabaseSync(path)]
  context.after(() => [connection, other].forEach((one) => one.close()))
  const database = new SqliteDatabase<Schema>(connection)
  const before = await database.version()
  connection.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY) STRICT')
  assert.equal(await database.version(), before)
  other.exec('INSERT INTO pets VALUES (1)')
  assert.notEqual(await database.version(), before)
})
