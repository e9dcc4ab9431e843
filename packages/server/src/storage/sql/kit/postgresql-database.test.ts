import assert from 'node:assert/strict'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import type { Pool } from 'pg'
import { DomainError } from '../../../lib/domain-error.ts'
import { type TestPostgresql, testPostgresql } from '../postgresql/test-postgresql.test-support.ts'
import { PostgresqlDatabase } from './postgresql-database.ts'
import { UnknownOutcomeError } from './postgresql-error.ts'
import { all, first, run, type SqlDatabase, type Work } from './sql-database.ts'

interface Schema {
  pets: { id: number; name: string; tag: Uint8Array | null; weight: number | null }
}

const PETS = 'CREATE TABLE pets (id BIGINT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, tag BYTEA, weight FLOAT8)'

function statementsOn(database: SqlDatabase<Schema>) {
  return {
    insert: database.statement((queries, pet: Schema['pets']) =>
      queries.insertInto('pets').values({ id: pet.id, name: pet.name, tag: pet.tag, weight: pet.weight }),
    ),
    all: database.statement((queries) => queries.selectFrom('pets').selectAll().orderBy('name')),
    count: database.statement((queries) => queries.selectFrom('pets').select(({ fn }) => fn.countAll().as('count'))),
    rename: database.statement((queries, { id, name }: { id: number; name: string }) =>
      queries.updateTable('pets').set({ name }).where('id', '=', id),
    ),
  }
}

test('callers of version share the query that begins after their call', async () => {
  const begun: PromiseWithResolvers<unknown>[] = []
  const query = () => {
    begun.push(Promise.withResolvers())
    return begun.at(-1)!.promise
  }
  const turn = () => new Promise((next) => setImmediate(next))
  const pool = { query } as unknown as Pool
  const database = new PostgresqlDatabase({ pool, random: () => 0, pause: async () => undefined })
  const early = database.version()
  await turn()
  assert.equal(begun.length, 1)
  const late = [database.version(), database.version()]
  await turn()
  assert.equal(begun.length, 1)
  begun[0]?.resolve({ rows: [{ version: 1 }] })
  assert.equal(await early, 1)
  await turn()
  assert.equal(begun.length, 2)
  const last = database.version()
  begun[1]?.reject(new Error('Connection terminated'))
  for (const one of late) await assert.rejects(one, { code: 'storage_unavailable' })
  await turn()
  begun[2]?.resolve({ rows: [{ version: 3 }] })
  assert.equal(await last, 3)
})

const server = await testPostgresql()
if (typeof server === 'string') test('a database on PostgreSQL', { skip: server }, () => undefined)
else {
  const pooler = await server.startPooler(4)
  testDatabase(server, '', (url) => url)
  if (typeof pooler === 'string') test('a database through a pooler', { skip: pooler }, () => undefined)
  else testDatabase(server, 'through a pooler, ', pooler.through)
}

/** `way`: a prefix of the names of tests; `through`: the URL by which Spoor connects to a database. */
function testDatabase(postgresql: TestPostgresql, way: string, through: (url: string) => string): void {
  const createWorld = async (context: TestContext) => {
    const url = await postgresql.migratedUrl(context)
    await postgresql.query(url, PETS)
    const connect = async () => (await postgresql.open(context, { url: through(url) })).withTables<Schema>()
    const database = await connect()
    const sql = statementsOn(database)
    const add = (id: number, fields: Partial<Schema['pets']> = {}) =>
      database.write(() => run(sql.insert({ id, name: `pet ${id}`, tag: null, weight: null, ...fields })))
    const names = async () => (await database.read(sql.all({}))).map(({ name }) => name)
    return { url, connect, database, sql, add, names }
  }

  test(`${way}values come back as they were written, counts are numbers`, async (context) => {
    const { database, sql, add } = await createWorld(context)
    const tag = Uint8Array.from({ length: 300 }, (_, index) => index)
    const pets = [
      { id: 2 ** 53 - 1, name: '\0\u0001\u0002\u{1F600}', tag, weight: 0.1 + 0.2 },
      { id: 2, name: 'a', tag: new Uint8Array(), weight: -1e-300 },
      { id: 3, name: 'b', tag: null, weight: null },
    ]
    for (const { id, ...fields } of pets) await add(id, fields)
    assert.deepEqual(await database.read(sql.all({})), pets)
    assert.deepEqual(await database.read(sql.count({})), [{ count: 3 }])
    assert.equal(await database.write(() => run(sql.rename({ id: 2, name: 'z' }))), 1)
  })

  test(`${way}text is ordered by its bytes, also if it contains NUL`, async (context) => {
    const { add, names } = await createWorld(context)
    const ordered = [
      '',
      '\0',
      '\0a',
      '\u0001',
      '\u0001\0',
      '\u0001\u0002',
      '\u0002',
      'B',
      'a',
      'ä',
      '\uffff',
      '\u{1F600}',
    ]
    for (const [id, name] of ordered.toReversed().entries()) await add(id, { name })
    assert.deepEqual(await names(), ordered)
  })

  test(`${way}a transaction reads its own writes, returns a value and is atomic`, async (context) => {
    const { database, sql, names } = await createWorld(context)
    const insert = (id: number) => run(sql.insert({ id, name: `pet ${id}`, tag: null, weight: null }))
    const count = await database.write(function* (): Work<number> {
      yield* insert(1)
      return (yield* all(sql.all({}))).length
    })
    assert.equal(count, 1)
    const failing = database.write(function* (): Work<void> {
      yield* insert(2)
      throw new Error('cancelled')
    })
    await assert.rejects(failing, /^Error: cancelled$/)
    const swallowing = database.write(function* (): Work<void> {
      yield* insert(3)
      try {
        yield* insert(1)
      } catch {
        return
      }
    })
    await assert.rejects(swallowing, { code: '23505' }, 'a failed statement ends the transaction')
    await assert.rejects(
      database.write(() => run(sql.rename({ id: 1, name: true as never }))),
      TypeError,
    )
    assert.deepEqual(await names(), ['pet 1'])
  })

  test(`${way}transactions that conflict are repeated until each has seen the others`, async (context) => {
    const { connect, database, sql, add } = await createWorld(context)
    const other = await connect()
    const addNext = (to: SqlDatabase<Schema>) =>
      to.write(function* (): Work<void> {
        const id = (yield* first(sql.count({})))?.count as number
        yield* run(sql.insert({ id, name: `pet ${id}`, tag: null, weight: null }))
      })
    await add(0)
    await Promise.all(Array.from({ length: 16 }, (_, index) => addNext(index % 2 === 0 ? database : other)))
    assert.deepEqual(await database.read(sql.count({})), [{ count: 17 }])
  })

  test(`${way}the version differs after each counted write, of this process or another one, and after no other`, async (context) => {
    const { connect, database, sql, add } = await createWorld(context)
    const before = await database.version()
    assert.equal(await database.version(), before)
    await (await connect()).write(() => run(sql.rename({ id: 1, name: 'x' })))
    const after = await database.version()
    assert.notEqual(after, before)
    await database.uncounted().write(() => run(sql.rename({ id: 1, name: 'y' })))
    assert.equal(await database.version(), after)
    await add(1)
    assert.notEqual(await database.version(), after)
    await assert.rejects(async () => database.uncounted().version(), /not counted/)
  })

  test(`${way}statements are prepared again after a column was added`, async (context) => {
    const { url, database, sql, add, names } = await createWorld(context)
    await add(1)
    assert.deepEqual(await names(), ['pet 1'])
    await postgresql.query(url, 'ALTER TABLE pets ADD COLUMN age BIGINT')
    assert.deepEqual(await names(), ['pet 1'])
    await postgresql.query(url, 'ALTER TABLE pets ADD COLUMN size BIGINT')
    assert.equal((await database.write(() => all(sql.all({})))).length, 1)
  })

  test(`${way}a server that goes away is reported, and the database is used again when it is back`, async (context) => {
    const { url, database, sql, add, names } = await createWorld(context)
    await add(1)
    const insert = sql.insert({ id: 2, name: 'b', tag: null, weight: null })
    const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spoor' AND datname = current_database()`
    const cut = database.write(function* (): Work<void> {
      yield* run(insert)
      yield* run(database.bound((queries) => queries.selectNoFrom(({ fn, val }) => fn('pg_sleep', [val(60)]).as('x'))))
    })
    const refused = assert.rejects(cut, { code: 'storage_unavailable', retryAfterSeconds: 2 })
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
    while ((await postgresql.query(url, sleeping)).length === 0);
    await postgresql.query(url, endOthers)
    await refused
    assert.deepEqual(await names(), ['pet 1'])
    // As a standby.
    const name = new URL(url).pathname.slice(1)
    await postgresql.query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await postgresql.query(url, endOthers)
    await assert.rejects(add(3), { code: 'storage_unavailable' })
  })

  test(`${way}a commit whose answer is lost is reported as unknown, without the password`, async (context) => {
    const { url, sql } = await createWorld(context)
    const proxy = await cutBeforeCommitIsAnswered(context, through(url))
    const database = (await postgresql.open(context, { url: proxy.url })).withTables<Schema>()
    proxy.arm()
    const failure = await database
      .write(() => run(sql.insert({ id: 1, name: 'a', tag: null, weight: null })))
      .then(
        () => assert.fail('the commit was answered'),
        (error: unknown) => error,
      )
    assert.ok(failure instanceof UnknownOutcomeError && failure instanceof DomainError)
    assert.match(failure.message, /may or may not have been stored/)
    assert.equal(failure.code, 'storage_unavailable')
    assert.ok(!inspect(failure, { depth: 20 }).includes(new URL(url).password))
    const direct = await postgresql.query(url, 'SELECT count(*)::int AS count FROM pets')
    assert.deepEqual(direct, [{ count: 1 }])
  })
}

/** A proxy in front of the server: once armed, it passes `COMMIT` on and cuts the connection when it is answered. */
async function cutBeforeCommitIsAnswered(context: TestContext, url: string) {
  const target = new URL(url)
  let isArmed = false
  const proxy = createServer((client: Socket) => {
    const upstream = connectTo(Number(target.port), target.hostname)
    let isCommitting = false
    client.on('data', (bytes) => {
      isCommitting ||= isArmed && bytes.includes('COMMIT')
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (isCommitting) client.destroy()
      else client.write(bytes)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  context.after(() => proxy.close())
  const through = new URL(url)
  through.port = String((proxy.address() as { port: number }).port)
  return { url: through.href, arm: () => (isArmed = true) }
}
