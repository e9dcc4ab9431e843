import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../../lib/operator-error.ts'
import { idAt, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { openTelemetrySchema } from './open-telemetry-schema.ts'
import { TELEMETRY_SCHEMA_VERSION } from './telemetry-schema.ts'
import { rowsOf } from './rows-of.test-support.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

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
  assert.deepEqual(await engine.select('SELECT max(version) FROM schema_versions'), [[3]])
  assert.deepEqual(await engine.select('SELECT count() FROM traces'), [[1]])
  assert.deepEqual(await engine.select('SELECT count() FROM metric_events'), [[0]])
  assert.deepEqual(await engine.select('SELECT count() FROM metric_points'), [[0]])
})
