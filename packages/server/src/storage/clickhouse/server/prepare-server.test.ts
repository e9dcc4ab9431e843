import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { READ_ONLY_USER, startClickHouse } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { openTelemetrySchema } from '../migrations/open-telemetry-schema.ts'
import { renderMigration } from '../migrations/render-migration.ts'
import type { SchemaLease } from '../migrations/schema-lease.ts'
import { telemetryMigrations } from '../migrations/telemetry-migrations.ts'
import { adviseOnIdleLogs } from './idle-logs.ts'
import { refuseOld } from './first-answer.ts'
import { prepareServer } from './prepare-server.ts'
import { clusterDialect, REPLICATED_DATABASE, SHARED_STORAGE, SINGLE_SERVER } from './server-dialects.ts'

const saying = (words: RegExp) => (error: unknown) => error instanceof OperatorError && words.test(error.message)

test('a server before 26.2 is refused', () => {
  for (const version of ['26.2.1.1', '26.10.1', '27.1.4.5']) refuseOld(version)
  for (const version of ['26.1.9.9', '25.12.3', '', 'unknown'])
    assert.throws(() => refuseOld(version), saying(/is too old: Spoor needs 26\.2 or later/))
})

test('all migrations are rendered for every kind of server', () => {
  for (const [dialect, onCluster, engine] of [
    [SINGLE_SERVER, '', 'ReplacingMergeTree(ver)'],
    [SHARED_STORAGE, '', 'ReplacingMergeTree(ver)'],
    [REPLICATED_DATABASE, '', 'ReplicatedReplacingMergeTree(ver)'],
    [clusterDialect('c', false), ' ON CLUSTER c', 'ReplacingMergeTree(ver)'],
    [clusterDialect('c', true), ' ON CLUSTER c', 'ReplicatedReplacingMergeTree(ver)'],
  ] as const) {
    for (const { sql } of telemetryMigrations()) {
      for (const statement of renderMigration(sql, dialect)) {
        assert.equal(statement.includes(' ON CLUSTER c'), onCluster !== '' && !statement.startsWith('INSERT'))
        if (statement.includes('ENGINE =')) assert.ok(statement.includes(`ENGINE = ${engine}\n`))
      }
    }
  }
})

const servers = await startClickHouse()
const [server] = typeof servers === 'string' ? [] : servers
if (server === undefined) test('a ClickHouse server', { skip: String(servers) }, () => undefined)
else {
  after(() => server[Symbol.asyncDispose]())
  const { url, user, password } = server
  const options = { url, user, password, ca: null, database: 'prepared', readers: 1 }

  test('ten nodes that start at once create database and schema once', async () => {
    const statements: string[] = []
    let held: Promise<unknown> = Promise.resolve()
    // Another adapter implements it by rows of PostgreSQL.
    const lease: SchemaLease = (work) => {
      const turn = held.then(() => work(new AbortController().signal))
      held = turn.catch(() => undefined)
      return turn
    }
    const nodes = await Promise.all(Array.from({ length: 10 }, () => prepareServer(options)))
    await Promise.all(
      nodes.map(async ({ engine, dialect }) => {
        const watched: TelemetryEngine = {
          ...engine,
          command: (sql) => (statements.push(sql), engine.command(sql)),
        }
        await openTelemetrySchema(watched, { dialect, lease, place: 'ClickHouse' })
      }),
    )
    const migrations = telemetryMigrations()
    const once = migrations.flatMap(({ sql }) => renderMigration(sql, SINGLE_SERVER))
    assert.deepEqual(
      statements.filter((sql) => !sql.includes('schema_versions')),
      once,
    )
    const [node] = nodes
    assert.deepEqual(
      await node?.engine.select('SELECT version, checksum FROM schema_versions ORDER BY version'),
      migrations.map(({ number, checksum }) => [number, checksum]),
    )
    assert.deepEqual([node?.dialect, node?.version.split('.').length], [SINGLE_SERVER, 4])
    await Promise.all(nodes.map(({ engine }) => engine.close()))
  })

  test('a store of a newer Spoor is refused with its place', async () => {
    const { engine, dialect } = await prepareServer({ ...options, database: 'newer' })
    await engine.command(
      'CREATE TABLE schema_versions (version UInt32, name String, checksum String) ENGINE = MergeTree ORDER BY version',
    )
    await engine.insert('schema_versions', Buffer.from('{"version":99}\n'))
    await assert.rejects(
      openTelemetrySchema(engine, { dialect, place: 'ClickHouse' }),
      saying(/^The traces in ClickHouse were written by a newer version/),
    )
    await engine.close()
  })

  test('what the operator must change is said, without the password', async () => {
    for (const [odd, words] of [
      [{ password: 's3cret' }, /refuses the user spoor: .*AUTHENTICATION_FAILED/s],
      [{ user: 'default', password: 's3cret' }, /refuses the user default: .*REQUIRED_PASSWORD/s],
      [{ user: READ_ONLY_USER }, /refuses the user reader: .*READONLY.*change settings/s],
      [{ database: 'a-b' }, /the name "a-b" must consist of letters/],
      [{ database: 'system' }, /has the engine Memory, in which tables cannot be exchanged/],
      [{ url: 'http://127.0.0.1:1' }, /^ClickHouse cannot be reached: connect ECONNREFUSED/],
    ] as const)
      await assert.rejects(
        prepareServer({ ...options, ...odd }, { patienceMs: 0 }),
        (error) => saying(words)(error) && !String(error).includes('s3cret') && !String(error).includes(password),
      )
    await assert.rejects(prepareServer(options, { cluster: 'nowhere' }), saying(/has no cluster nowhere/))
    await assert.rejects(prepareServer(options, { cluster: 'no where' }), saying(/must consist of letters/))
  })

  test('a server that starts late is waited for', async () => {
    await server.kill()
    const prepared = prepareServer({ ...options, database: 'late' })
    await server.start()
    await (await prepared).engine.close()
  })

  test('logs of the server that are kept for ever are reported, those with a time to live are not', async () => {
    const { engine } = await prepareServer(options)
    assert.equal(await adviseOnIdleLogs(engine), null)
    for (const [name, ttl] of [
      ['query_log', ''],
      ['trace_log', ''],
      ['part_log', 'TTL event_date + INTERVAL 1 DAY'],
    ] as const)
      await engine.command(
        `CREATE TABLE system.${name} (event_date Date) ENGINE = MergeTree ORDER BY event_date ${ttl}`,
      )
    assert.match(
      (await adviseOnIdleLogs(engine)) ?? '',
      /for ever \(0 MB in system\.query_log, trace_log\)\. .*<query_log><ttl>event_date \+ INTERVAL 1 DAY DELETE<\/ttl><\/query_log>/,
    )
    await engine.close()
  })
}
