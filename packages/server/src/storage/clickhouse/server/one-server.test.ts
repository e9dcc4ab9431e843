import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { inspect } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import type { ProjectId } from '@spoor/contract/ids'
import { parquetReadObjects } from 'hyparquet'
import { type ClickHouseServer, READ_ONLY_USER } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { eventually } from '../../../../../../e2e/lib/eventually.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { onBehalfOf } from '../../../lib/flow/requester.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { CuttingProxy } from '../../blobs/s3/cutting-proxy.test-support.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { openTelemetrySchema } from '../migrations/open-telemetry-schema.ts'
import { renderMigration } from '../migrations/render-migration.ts'
import type { SchemaLease } from '../migrations/schema-lease.ts'
import { telemetryMigrations } from '../migrations/telemetry-migrations.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from './clickhouse-server-engine.ts'
import { refuseOld } from './first-answer.ts'
import { adviseOnIdleLogs } from './idle-logs.ts'
import { prepareServer } from './prepare-server.ts'
import { clusterDialect, REPLICATED_DATABASE, SHARED_STORAGE, SINGLE_SERVER } from './server-dialects.ts'
import { onServer } from './use-server.test-support.ts'

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

await onServer(async ([server]) => {
  await import('../engine/literal.test.ts')
  await import('../engine/read-failure.test.ts')
  await import('../feed/clickhouse-trace-row-groups.test.ts')
  await import('../rows/clickhouse-trace-store.test.ts')
  await import('../rows/step-row.test.ts')
  await import('../rows/trace-purge.test.ts')
  await testEngine(server as ClickHouseServer)
  // One of these kills the server.
  testPreparation(server as ClickHouseServer)
})

async function testEngine(server: ClickHouseServer): Promise<void> {
  const proxy = await CuttingProxy.open(server.url)
  const failures: unknown[] = []
  const { url, user, password } = server
  const direct: ClickHouseServerOptions = { url, user, password, ca: null, database: 'engine', readers: 3 }
  const { engine, dialect } = await prepareServer(direct)
  await openTelemetrySchema(engine, { dialect })
  const distant = openClickHouseServer({ ...direct, url: proxy.url, onReadError: (error) => failures.push(error) })
  after(async () => {
    await Promise.all([engine.close(), distant.close()])
    await proxy[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    proxy.reopen()
    failures.length = 0
  })

  const forClient = <T>(signal: AbortSignal, work: () => Promise<T>) =>
    onBehalfOf({ kind: 'project', projectId: 'proj_a' as ProjectId, signal }, work)
  const running = async (mark: string) => {
    const queries = await engine.select(
      `SELECT query FROM system.processes WHERE position(query, ${text(mark)}) > 0 AND position(query, 'system.processes') = 0`,
    )
    return queries.length > 0
  }
  const isUnavailable = (error: unknown) => {
    assert.ok(error instanceof DomainError)
    assert.deepEqual([error.code, error.retryAfterSeconds], ['storage_unavailable', 2])
    assert.deepEqual(failures, [error])
    return true
  }

  test('rows are arrays of values, and 64-bit integers are numbers', async () => {
    assert.deepEqual(
      await engine.select(
        `SELECT toUInt64(7), -1.5, 'ü\n"[]', [1, 2], NULL UNION ALL SELECT 8, 0, '', [], 1 ORDER BY 1`,
      ),
      [
        [7, -1.5, 'ü\n"[]', [1, 2], null],
        [8, 0, '', [], 1],
      ],
    )
    assert.deepEqual(await engine.select('SELECT 1 WHERE 0'), [])
  })

  test('the same rows are a file of Parquet, or none if the read fails after its first rows', async () => {
    const file = await engine.selectParquet(`SELECT number, 'text' AS text FROM numbers(2) SETTINGS max_threads = 1`)
    const rows = await parquetReadObjects({
      file: new Uint8Array(file).buffer,
      compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    })
    assert.deepEqual(
      rows,
      [0n, 1n].map((number) => ({ number, text: 'text' })),
    )
    const late = 'SELECT number, throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_block_size = 1000'
    await assert.rejects(engine.selectParquet(late), { clickhouseCode: 395 })
    const gone = new AbortController()
    const read = forClient(gone.signal, () =>
      engine.selectParquet('SELECT sum(cityHash64(number)) AS left FROM numbers(1000000000000)'),
    )
    const outcome = assert.rejects(read, /the client left/)
    while (!(await running('AS left')));
    gone.abort(new Error('the client left'))
    await outcome
    while (await running('AS left'));
  })

  test('a statement may be long, and a read may set a setting but change nothing', async () => {
    assert.deepEqual(await engine.select(`SELECT length('${'x'.repeat(3_000_000)}')`), [[3_000_000]])
    assert.deepEqual(await engine.select(`SELECT getSetting('max_threads') SETTINGS max_threads = 3`), [[3]])
    await assert.rejects(engine.select('TRUNCATE TABLE traces'), /READONLY/)
  })

  test('a read that fails after its first rows rejects with the error of the server', async () => {
    const late = `SELECT 'row', throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_block_size = 1000, max_threads = 1`
    await assert.rejects(engine.select(late), { clickhouseCode: 395 })
    await assert.rejects(engine.select('SELECT nothing FROM nowhere'), { clickhouseCode: 60 })
    // What a failed read ends with, as stored text.
    const stored = `\\r\\n__exception__\\r\\ntag\\r\\nCode: 395\\r\\n__exception__\\r\\n`
    assert.equal((await engine.select(`SELECT '${stored}'`)).length, 1)
  })

  for (const [name, sql] of [
    ['before its answer begins', 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)'],
    ['within its answer', `SELECT 'endless', number FROM numbers(1000000000000)`],
  ] as const) {
    test(`a read ends in the server when its client disconnects ${name}`, async () => {
      const gone = new AbortController()
      const reason = new Error('the client went away')
      const outcome = assert.rejects(
        forClient(gone.signal, () => engine.select(sql)),
        reason,
      )
      await eventually('it runs', () => running(sql.slice(0, 30)))
      gone.abort(reason)
      await outcome
      await eventually('it has ended', async () => !(await running(sql.slice(0, 30))))
      await assert.rejects(
        forClient(gone.signal, () => engine.select('SELECT 1')),
        reason,
      )
      assert.deepEqual(await Promise.all([1, 2, 3, 4].map((n) => engine.select(`SELECT ${n}`))), [
        [[1]],
        [[2]],
        [[3]],
        [[4]],
      ])
    })
  }

  test('reads fail as unavailable while the server is away, and go on when it is back', async () => {
    assert.deepEqual(await distant.select('SELECT 1'), [[1]])
    proxy.close()
    await assert.rejects(distant.select('SELECT 1'), isUnavailable)
    proxy.reopen()
    assert.deepEqual(await distant.select('SELECT 1'), [[1]])
  })

  test('a read is sent again when its connection breaks before the answer, and not when it breaks within', async () => {
    let cuts = 2
    proxy.onBytes = () => {
      if (cuts-- > 0) proxy.cut()
    }
    assert.deepEqual(await distant.select('SELECT 1'), [[1]])
    assert.deepEqual(failures, [])
    const before = proxy.receivedBytes
    proxy.onBytes = () => {
      if (proxy.receivedBytes > before + 100_000) proxy.cut()
    }
    await assert.rejects(distant.select('SELECT randomString(100) FROM numbers(1000000)'), isUnavailable)
  })

  test('an insert whose connection breaks is not repeated', async () => {
    const row = Buffer.from('{"project_id":"p","id":"broken","ver":1}\n')
    const connections = proxy.connections
    proxy.onBytes = () => proxy.cut()
    await assert.rejects(distant.insert('traces', row), (error) => !(error instanceof DomainError))
    assert.ok(proxy.connections - connections <= 1)
  })

  test('rows of a named batch are stored once, those of another again', async () => {
    const rows = Buffer.from(
      [1, 2].map((n) => `{"project_id":"p","id":"named","created_at":${n * 3_000_000_000},"ver":1}\n`).join(''),
    )
    const count = async () => (await engine.select(`SELECT count() FROM traces WHERE id = 'named'`))[0]?.[0]
    await engine.insert('traces', rows, 'batch 1')
    await engine.insert('traces', rows, 'batch 1')
    assert.equal(await count(), 2)
    // What a purge removes can be inserted again under another name, and not under the same.
    await engine.command(`ALTER TABLE traces DELETE WHERE id = 'named' SETTINGS mutations_sync = 1`)
    await engine.insert('traces', rows, 'batch 1')
    assert.equal(await count(), 0)
    await engine.insert('traces', rows, 'batch 2')
    assert.equal(await count(), 2)
    await engine.insert('traces', rows)
    await engine.insert('traces', rows)
    assert.equal(await count(), 6)
  })

  test('an insert is one part in each partition, whatever its size', async () => {
    const months = ['2026-01-02', '2026-02-02'].map((day) => Date.parse(day))
    const lines = Array.from(
      { length: 150_000 },
      (_, n) =>
        `{"project_id":"p","id":"large ${n}","created_at":${months[n % 2]},"ver":5,"metadata":"${'x'.repeat(300)}"}\n`,
    )
    const from = await engine.select('SELECT count() FROM system.parts WHERE database = currentDatabase() AND active')
    await engine.insert('traces', Buffer.from(lines.join('')))
    const parts = await engine.select(
      `SELECT count() - ${from[0]?.[0] as number} FROM system.parts WHERE database = currentDatabase() AND active`,
    )
    assert.deepEqual(parts, [[2]])
    assert.deepEqual(await engine.select(`SELECT count() FROM traces WHERE startsWith(id, 'large ')`), [[150_000]])
  })

  test('an acknowledged insert survives the kill of the server', async () => {
    await engine.insert('traces', Buffer.from('{"project_id":"p","id":"survivor","ver":1}\n'))
    await server.kill()
    await assert.rejects(engine.select('SELECT 1'), { code: 'storage_unavailable' })
    await server.start()
    assert.deepEqual(await engine.select(`SELECT count() FROM traces WHERE id = 'survivor'`), [[1]])
  })

  test('no error shows the password', async () => {
    const wrong = openClickHouseServer({ ...direct, password: 'not-the-password' })
    const failed: unknown[] = []
    for (const work of [
      () => wrong.select('SELECT 1'),
      () => wrong.command('SELECT 1'),
      () => wrong.insert('traces', Buffer.from('{}\n')),
      () => engine.command('nonsense'),
      () => engine.insert('nowhere', Buffer.from('{}\n')),
    ])
      await work().catch((error: unknown) => failed.push(error))
    proxy.close()
    await distant.select('SELECT 1').catch((error: unknown) => failed.push(error))
    await wrong.close()
    assert.equal(failed.length, 6)
    for (const secret of [password, 'not-the-password'])
      for (const encoded of [secret, encodeURIComponent(secret), Buffer.from(`${user}:${secret}`).toString('base64')])
        assert.ok(!inspect(failed, { depth: 20, showHidden: true }).includes(encoded))
  })

  test('a URL that names more than the server is refused without its password', () => {
    for (const odd of [
      'http://u:s3cret@localhost:8123',
      'http://localhost?password=s3cret',
      'localhost:8123',
      'nothing',
    ])
      assert.throws(
        () => openClickHouseServer({ ...direct, url: odd }),
        (error) => error instanceof OperatorError && !error.message.includes('s3cret'),
      )
  })
}

function testPreparation(server: ClickHouseServer): void {
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
      migrations.map(({ version, checksum }) => [version, checksum]),
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
      saying(/^The store of traces in ClickHouse was written by a newer version/),
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
