import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { DatabaseError, Pool } from 'pg'
import { DomainError } from '../../../lib/domain-error.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { PooledTransactions } from '../kit/pooled-transactions.ts'
import { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { UnknownOutcomeError } from '../kit/postgresql-error.ts'
import { raw } from '../kit/raw-statement.ts'
import { run } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { POSTGRESQL_MIGRATIONS } from '../schema/schemas.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'

/** The server's, as the operator made the role. */
const NAMES = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'synchronous_commit',
] as const

const server = await testPostgresql()
if (typeof server === 'string') test('a pooler before PostgreSQL', { skip: server }, () => undefined)
else {
  // All share one session, which nothing of theirs may change.
  const poolers = [await server.startPooler(1), await server.startPooler(1, 1)]
  const [through, impatient] = poolers.flatMap((pooler) => (typeof pooler === 'string' ? [] : [pooler.through]))
  if (through && impatient) testPooler(server, through, impatient)
  else test('a pooler before PostgreSQL', { skip: String(poolers[0]) }, () => undefined)
}

type Through = (url: string) => string

/** Through `impatient`, a statement waits one second for a connection. */
function testPooler(postgresql: TestPostgresql, through: Through, impatient: Through): void {
  const create = async (context: TestContext) => {
    const direct = await postgresql.migratedUrl(context)
    const name = new URL(direct).pathname.slice(1)
    const operate = (text: string) => postgresql.query(direct.replace(/[^/]+$/, 'postgres'), text)
    return {
      direct,
      url: through(direct),
      alter: (change: string) => operate(`ALTER DATABASE ${name} ${change}`),
      endSessions: () => operate(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`),
    }
  }
  const bound = (database: PostgresqlDatabase<unknown>, text: string) =>
    database.bound((queries) => raw(queries, sql<Record<string, string>>`${sql.raw(text)}`))
  const settings = `SELECT ${NAMES.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`
  const touch = 'UPDATE journal_state SET version = version'

  /** Both ways of writing: a transaction, and one statement. */
  const writers = (database: PostgresqlDatabase<unknown>) => [
    () => database.write(() => run(bound(database, touch))),
    () => database.uncounted().writeAtOnce(bound(database, touch)),
  ]

  for (const [configured, used] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ] as const) {
    test(`through a pooler, commits are flushed where synchronous_commit is ${configured}`, async (context) => {
      const { direct, url, alter } = await create(context)
      // A deferred trigger runs as a part of the commit.
      await postgresql.query(direct, 'CREATE TABLE seen (setting text)')
      await postgresql.query(
        direct,
        `CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`,
      )
      await postgresql.query(
        direct,
        `CREATE CONSTRAINT TRIGGER seen AFTER UPDATE ON journal_state DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION see()`,
      )
      await alter(`SET synchronous_commit = ${configured}`)
      const database = await postgresql.open(context, { url })
      const found = () => postgresql.query(direct, 'SELECT setting FROM seen')
      for (const [count, write] of writers(database).entries()) {
        await write()
        assert.deepEqual(
          await found(),
          Array.from({ length: count + 1 }, () => ({ setting: used })),
        )
      }
      // An operator's, in the same session.
      assert.deepEqual(await postgresql.query(url.replace(/\?.*/, ''), `SHOW synchronous_commit`), [
        { synchronous_commit: configured },
      ])
    })
  }

  test('each read and each transaction has its timeouts, and the session keeps those of the role', async (context) => {
    const { url, alter } = await create(context)
    for (const name of NAMES.slice(0, 3)) await alter(`SET ${name} = '3min'`)
    const [node, command] = await Promise.all([false, true].map((isLong) => postgresql.open(context, { url, isLong })))
    assert.ok(node !== undefined && command !== undefined)
    for (const [database, timeout] of [
      [node, '10s'],
      [command, '0'],
    ] as const) {
      const expected = { statement_timeout: timeout, lock_timeout: '5s', idle_in_transaction_session_timeout: timeout }
      const of = ({ synchronous_commit: _, ...timeouts }: Record<string, string>) => timeouts
      assert.deepEqual((await database.read(bound(database, settings))).map(of), [expected])
      const within = await database.write(function* () {
        return (yield bound(database, settings)).rows as Record<string, string>[]
      })
      assert.deepEqual(within.map(of), [expected])
    }
    const [ofSession] = await postgresql.query(url.replace(/\?.*/, ''), settings)
    assert.deepEqual(ofSession, {
      statement_timeout: '3min',
      lock_timeout: '3min',
      idle_in_transaction_session_timeout: '3min',
      synchronous_commit: 'on',
    })
  })

  test('the server ends a read, a write and a transaction that take longer', async (context) => {
    const { url } = await create(context)
    const pool = new Pool({ connectionString: url.replace(/\?.*/, '') })
    context.after(() => pool.end())
    const timeouts = { statement_timeout: 50, lock_timeout: 50, idle_in_transaction_session_timeout: 0 }
    const pooled = new PooledTransactions(timeouts)
    const database = new PostgresqlDatabase<unknown>({
      pool,
      pooled,
      random: Math.random,
      pause: async () => undefined,
    })
    const sleep = bound(database, 'SELECT pg_sleep(60)')
    for (const one of [
      () => database.read(sleep),
      () => database.uncounted().writeAtOnce(sleep),
      () => database.write(() => run(sleep)),
    ])
      await assert.rejects(one(), ({ cause }: Error) => cause instanceof DatabaseError && cause.code === '57014')
    assert.equal((await database.read(bound(database, 'SELECT 1 AS one'))).length, 1)
  })

  test('values, results and errors are those of the statement, also of one that many nodes send', async (context) => {
    const { url } = await create(context)
    const nodes = await Promise.all([1, 2, 3].map(() => postgresql.open(context, { url })))
    for (let round = 0; round < 3; round++) {
      for (const node of nodes) {
        const add = sqlTextOn(node).query<{ a: number; b: string | null }, object>('SELECT :a::int AS a, :b::text AS b')
        assert.deepEqual(await node.read(add({ a: round, b: null })), [{ a: round, b: null }])
        await assert.rejects(node.read(bound(node, 'SELECT 1/0')), { code: '22012' })
        await assert.rejects(node.uncounted().writeAtOnce(bound(node, 'SELECT 1/0')), { code: '22012' })
        await assert.rejects(node.read(add({ a: true as never, b: '' })), TypeError)
        for (const write of writers(node)) await write()
      }
    }
  })

  test('a write for which the pooler has no connection is known not to be stored', async (context) => {
    const { direct } = await create(context)
    const url = impatient(direct)
    const database = await postgresql.open(context, { url })
    // So that each has a connection to the pooler: a new one would need one to the server.
    await Promise.all(writers(database).map((write) => write()))
    const holder = new Pool({ connectionString: url.replace(/\?.*/, '') })
    context.after(() => holder.end())
    const client = await holder.connect()
    await client.query('BEGIN')
    const isRefusal = (error: unknown) =>
      error instanceof DomainError && error.code === 'storage_unavailable' && !(error instanceof UnknownOutcomeError)
    try {
      for (const write of writers(database)) await assert.rejects(write(), isRefusal)
    } finally {
      client.release(true)
    }
    for (const write of writers(database)) await write()
  })

  test('nodes that start at once on an empty database migrate it once', async (context) => {
    const direct = await postgresql.emptyUrl(context)
    await Promise.all([1, 2, 3].map(() => postgresql.open(context, { url: through(direct) })))
    const [row] = await postgresql.query(direct, 'SELECT max(version)::int AS version FROM schema_versions')
    assert.equal(row?.['version'], POSTGRESQL_MIGRATIONS.at(-1)?.version)
  })

  test('a pooler that goes to a server that takes no writes is noticed by reads and writes', async (context) => {
    const { url, alter, endSessions } = await create(context)
    const database = await postgresql.open(context, { url, mostConnections: 1 })
    const read = () => database.read(bound(database, 'SELECT 1 AS one'))
    for (const attempt of [read, ...writers(database)]) {
      await read()
      // As after a failover: the connection to the pooler stays.
      await alter('SET default_transaction_read_only = on')
      await endSessions()
      await assert.rejects(attempt(), { code: 'storage_unavailable' })
      await assert.rejects(
        postgresql.open(context, { url }),
        (error) => error instanceof OperatorError && /takes no writes/.test(error.message),
      )
      await alter('RESET default_transaction_read_only')
      await endSessions()
    }
    await read()
  })

  test('a pooler that refuses what a session starts with is reported with what the URL needs', async (context) => {
    const { url } = await create(context)
    await assert.rejects(
      postgresql.open(context, { url: url.replace(/\?.*/, '') }),
      (error) =>
        error instanceof OperatorError && /unsupported startup parameter.*needs \?pgbouncer=true/.test(error.message),
    )
  })

  test('nothing listens', async (context) => {
    const { url } = await create(context)
    const database = await postgresql.open(context, { url })
    await database.listen('spoor_log', () => assert.fail('a notice'), new AbortController().signal)
  })
}
