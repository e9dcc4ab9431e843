import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../../../lib/operator-error.ts'
import { EMBEDDED_DIALECT } from '../engine/telemetry-dialect.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { openTelemetrySchema } from './open-telemetry-schema.ts'
import { renderMigration } from './render-migration.ts'
import { telemetryMigrations } from './telemetry-migrations.ts'

const engine = await temporaryEngine()
const migrations = telemetryMigrations()
const newest = migrations.at(-1)!.version
const TABLES = ['traces', 'steps', 'metric_events', 'metric_points', 'settled_batches']

test('a new store records every migration once', async () => {
  await openTelemetrySchema(engine)
  assert.deepEqual(
    await engine.select('SELECT version, name, checksum FROM schema_versions ORDER BY version'),
    migrations.map(({ version, name, checksum }) => [version, name, checksum]),
  )
})

test('a store of a newer version or of a development version is refused and not changed', async () => {
  const explained = (words: RegExp) => (error: unknown) => error instanceof OperatorError && words.test(error.message)
  for (const [row, words] of [
    [{ version: 10, name: 'usage-by-model', checksum: 'abc' }, /before its first release/],
    [{ version: newest + 1 }, /newer version of Spoor/],
    [{ version: newest, name: 'other', checksum: 'abc' }, /development version/],
  ] as const) {
    await engine.command('TRUNCATE TABLE schema_versions')
    await engine.insert('schema_versions', Buffer.from(`${JSON.stringify(row)}\n`))
    const run: string[] = []
    const watched = { ...engine, command: (sql: string) => (run.push(sql), engine.command(sql)) }
    await assert.rejects(openTelemetrySchema(watched), explained(words))
    assert.deepEqual(
      run.filter((sql) => !sql.includes('schema_versions')),
      [],
    )
    assert.deepEqual(await engine.select('SELECT version FROM schema_versions'), [[row.version]])
  }
})

test('a store is whole after the next start, wherever the one before ended', async () => {
  await emptied()
  await openTelemetrySchema(engine)
  const whole = await tables()
  const statements = migrations.flatMap(({ sql }) => renderMigration(sql, EMBEDDED_DIALECT))
  // Before each statement, and after the last one before the migration is recorded.
  for (let broken = 0; broken <= statements.length; broken++) {
    await emptied()
    await assert.rejects(openTelemetrySchema(breakingAt(broken)), /no power/)
    await openTelemetrySchema(engine)
    assert.deepEqual(await tables(), whole)
    assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[newest]])
  }
})

test('no statement begins once the lease is lost, and another holder continues', async () => {
  await emptied()
  const lost = new AbortController()
  const run: string[] = []
  const watched: TelemetryEngine = {
    ...engine,
    async command(sql) {
      run.push(sql)
      await engine.command(sql)
      if (sql.includes('steps')) lost.abort(new Error('lease lost'))
    },
  }
  await assert.rejects(openTelemetrySchema(watched, { lease: (work) => work(lost.signal) }), /lease lost/)
  assert.match(run.at(-1)!, /TABLE IF NOT EXISTS steps/)
  await openTelemetrySchema(engine)
  assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[newest]])
})

test('migrations are rendered for a cluster', () => {
  const dialect = {
    onCluster: ' ON CLUSTER c',
    engine: (mergeTree: string) => `Replicated${mergeTree}`,
    tableSettings: 'fsync_after_insert = 1',
    catchUp: () => null,
  }
  for (const { sql } of migrations) {
    for (const statement of renderMigration(sql, dialect)) {
      assert.doesNotMatch(statement, /\{\{|;|--/)
      assert.match(statement, / ON CLUSTER c/)
      assert.doesNotMatch(statement, /ENGINE = (?!ReplicatedReplacingMergeTree\(ver\))/)
    }
  }
  assert.throws(() => renderMigration('SELECT {{unknown}};', dialect), /unknown macro/)
})

async function tables(): Promise<unknown> {
  return await engine.select(
    `SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() AND name != 'schema_versions' ORDER BY name`,
  )
}

async function emptied(): Promise<void> {
  for (const table of [...TABLES, 'schema_versions']) await engine.command(`DROP TABLE IF EXISTS ${table} SYNC`)
}

/** Stops before the statement with this number, among those that change tables of rows, or after the last one. */
function breakingAt(statement: number): TelemetryEngine {
  let begun = 0
  return {
    ...engine,
    command: async (sql) => {
      if (!sql.includes('schema_versions') && begun++ === statement) throw new Error('no power')
      await engine.command(sql)
    },
    insert: async (table, rows) => {
      if (begun === statement) throw new Error('no power')
      await engine.insert(table, rows)
    },
  }
}
