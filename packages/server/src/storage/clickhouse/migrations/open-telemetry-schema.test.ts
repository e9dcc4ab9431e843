import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../../../lib/operator-error.ts'
import { idAt, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { openTelemetrySchema } from './open-telemetry-schema.ts'
import { TELEMETRY_SCHEMA_VERSION } from './telemetry-schema.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'

const engine = await temporaryEngine()

test('a store with the same schema is opened again, one with a much older or a newer schema is refused and left alone', async () => {
  const numbered = async (version: number) => {
    await engine.command('TRUNCATE TABLE schema_versions')
    await engine.insert('schema_versions', Buffer.from(`{"version":${version}}\n`))
  }
  await openTelemetrySchema(engine)
  const explained = (words: RegExp) => (error: unknown) => error instanceof OperatorError && words.test(error.message)
  await numbered(1)
  await assert.rejects(openTelemetrySchema(engine), explained(/before its first release/))
  await numbered(TELEMETRY_SCHEMA_VERSION + 1)
  await assert.rejects(openTelemetrySchema(engine), explained(/newer version of Spoor/))
  assert.deepEqual(await engine.select('SELECT version FROM schema_versions'), [[TELEMETRY_SCHEMA_VERSION + 1]])
})

test('a store of before there were metric events gets their tables and keeps the rest, also when that broke off', async () => {
  await engine.command('TRUNCATE TABLE schema_versions')
  await engine.insert('schema_versions', Buffer.from('{"version":2}\n'))
  await engine.command('DROP TABLE metric_events')
  await engine.command('DROP TABLE metric_points')
  const { traces } = rowsOf([traceRecord(idAt('tr', 1))], [])
  await engine.insert('traces', traces)
  const failing = {
    ...engine,
    command: (sql: string) =>
      sql.includes('metric_points') ? Promise.reject(new Error('no disk')) : engine.command(sql),
  }
  await assert.rejects(openTelemetrySchema(failing), /no disk/)
  assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[2]])
  await openTelemetrySchema(engine)
  assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[TELEMETRY_SCHEMA_VERSION]])
  assert.deepEqual(await engine.select('SELECT count() FROM traces'), [[1]])
  assert.deepEqual(await engine.select('SELECT count() FROM metric_events'), [[0]])
  assert.deepEqual(await engine.select('SELECT count() FROM metric_points'), [[0]])
})

test('points of a store that had them by their time are ordered by minute, each once, wherever that broke off', async () => {
  const [[newest]] = (await engine.select(
    `SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'metric_points'`,
  )) as [[string]]
  const older = newest
    .replace(/`minute` UInt32 [^`]+, `id`/, '`id`')
    .replace('(project_id, metric_id, minute, option, value, id)', '(project_id, metric_id, at, id)')
  const at = Date.UTC(2026, 1, 4, 10, 20, 30, 456)
  const points = [at, at + 1, at + 60_000, Date.UTC(2031, 0, 1)].map(
    (time, n) => `{"project_id":"p","metric_id":"m","at":${time},"id":"${n}","value":${9 - n},"terms":["a"]}\n`,
  )
  const broken = (what: RegExp) => ({
    ...engine,
    command: (sql: string) => (what.test(sql) ? Promise.reject(new Error('no disk')) : engine.command(sql)),
  })
  for (const [what, left] of [
    [/^INSERT/, false],
    [/^EXCHANGE/, false],
    [/^DROP TABLE IF EXISTS metric_points_copy/, true],
  ] as const) {
    await engine.command('DROP TABLE metric_points SYNC')
    await engine.command(older)
    await engine.insert('metric_points', Buffer.from(points.join('')))
    await engine.command('TRUNCATE TABLE schema_versions')
    await engine.insert('schema_versions', Buffer.from('{"version":3}\n'))
    // The last one is dropped twice: before there is a copy, and behind it.
    let dropped = 0
    const failing = broken(what)
    const once = {
      ...failing,
      command: (sql: string) =>
        left && what.test(sql) && dropped++ === 0 ? engine.command(sql) : failing.command(sql),
    }
    await assert.rejects(openTelemetrySchema(once), /no disk/)
    assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[3]])
    await openTelemetrySchema(engine)
    assert.deepEqual(
      await engine.select(
        'SELECT id, toUnixTimestamp64Milli(at), minute * 60000 <= toUnixTimestamp64Milli(at), value, terms FROM metric_points ORDER BY at',
      ),
      [
        ['0', at, 1, 9, ['a']],
        ['1', at + 1, 1, 8, ['a']],
        ['2', at + 60_000, 1, 7, ['a']],
        ['3', Date.UTC(2031, 0, 1), 1, 6, ['a']],
      ],
    )
    assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[TELEMETRY_SCHEMA_VERSION]])
    const [[now]] = (await engine.select(
      `SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'metric_points'`,
    )) as [[string]]
    assert.equal(now, newest)
    assert.deepEqual(await engine.select(`SELECT name FROM system.tables WHERE name = 'metric_points_copy'`), [])
  }
})
