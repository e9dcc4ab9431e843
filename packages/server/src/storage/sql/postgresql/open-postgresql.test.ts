import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { raw } from '../kit/raw-statement.ts'
import { run } from '../kit/sql-database.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'

const server = await testPostgresql()
if (typeof server === 'string') test('connections to PostgreSQL', { skip: server }, () => undefined)
else testConnections(server)

function testConnections(postgresql: TestPostgresql): void {
  const create = async (context: TestContext) => {
    const url = await postgresql.migratedUrl(context)
    const name = new URL(url).pathname.slice(1)
    const alter = (change: string) =>
      postgresql.query(url.replace(/[^/]+$/, 'postgres'), `ALTER DATABASE ${name} ${change}`)
    return { url, alter }
  }
  const select = async (database: PostgresqlDatabase<unknown>, expression: string) => {
    const rows = await database.read(
      database.bound((queries) => raw(queries, sql<{ value: string }>`SELECT ${sql.raw(expression)} AS value`)),
    )
    return rows[0]?.value
  }
  const setting = (database: PostgresqlDatabase<unknown>, name: string) =>
    select(database, `current_setting('${name}')`)
  const write = (database: PostgresqlDatabase<unknown>) =>
    database.write(() =>
      run(database.bound((queries) => raw(queries, sql`UPDATE journal_state SET version = version`))),
    )

  for (const [configured, used] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ] as const) {
    test(`commits are flushed where synchronous_commit is ${configured}`, async (context) => {
      const { url, alter } = await create(context)
      await alter(`SET synchronous_commit = ${configured}`)
      const database = await postgresql.open(context, { url })
      const settings = await Promise.all([1, 2, 3].map(() => setting(database, 'synchronous_commit')))
      assert.deepEqual(settings, [used, used, used])
    })
  }

  test('a statement of a node ends after a while, one of a long command does not', async (context) => {
    const { url, alter } = await create(context)
    await alter(`SET statement_timeout = '3min'`)
    await alter(`SET idle_in_transaction_session_timeout = '3min'`)
    const [node, command] = await Promise.all([false, true].map((isLong) => postgresql.open(context, { url, isLong })))
    assert.ok(node !== undefined && command !== undefined)
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      assert.equal(await setting(node, name), '10s')
      assert.equal(await setting(command, name), '0')
    }
  })

  test('a URL as providers print it is taken, and the first of its hosts that can be used is', async (context) => {
    const { url } = await create(context)
    const { host } = new URL(url)
    const parameters =
      'target_session_attrs=read-write&channel_binding=require&application_name=agents&connect_timeout=2'
    for (const hosts of [`127.0.0.1:1,${host}`, `${host},127.0.0.1:1`, `[::1]:1,127.0.0.1:1,${host}`]) {
      const database = await postgresql.open(context, { url: `${url.replace(host, hosts)}?${parameters}` })
      assert.equal(await setting(database, 'application_name'), 'agents')
      await write(database)
    }
  })

  test('a connection that takes no writes is used once', async (context) => {
    const { url } = await create(context)
    const database = await postgresql.open(context, { url, mostConnections: 1 })
    const atOnce = () =>
      database
        .uncounted()
        .writeAtOnce(database.bound((queries) => raw(queries, sql`UPDATE journal_state SET version = version`)))
    for (const writing of [() => write(database), atOnce]) {
      await select(database, `set_config('default_transaction_read_only', 'on', false)`)
      await assert.rejects(writing(), { code: 'storage_unavailable', message: 'The store cannot be used right now.' })
      await writing()
    }
  })

  test('a server that takes no writes is not connected to, until it takes them', async (context) => {
    const { url, alter } = await create(context)
    const database = await postgresql.open(context, { url })
    await alter('SET default_transaction_read_only = on')
    await assert.rejects(select(database, '1'), { code: 'storage_unavailable' })
    await assert.rejects(
      postgresql.open(context, { url }),
      (error) => error instanceof OperatorError && /takes no writes/.test(error.message),
    )
    await alter('RESET default_transaction_read_only')
    await write(database)
  })
}
