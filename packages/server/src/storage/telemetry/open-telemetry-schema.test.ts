import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../../lib/operator-error.ts'
import { openTelemetrySchema } from './open-telemetry-schema.ts'
import { TELEMETRY_SCHEMA_VERSION } from './telemetry-schema.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()

test('a store with the same schema is opened again, one with an older or a newer schema is refused and left alone', async () => {
  const numbered = async (version: number) => {
    await engine.command('TRUNCATE TABLE schema_versions')
    await engine.insert('schema_versions', Buffer.from(`{"version":${version}}\n`))
  }
  await openTelemetrySchema(engine)
  const explained = (words: RegExp) => (error: unknown) => error instanceof OperatorError && words.test(error.message)
  await numbered(TELEMETRY_SCHEMA_VERSION - 1)
  await assert.rejects(openTelemetrySchema(engine), explained(/before its first release/))
  await numbered(TELEMETRY_SCHEMA_VERSION + 1)
  await assert.rejects(openTelemetrySchema(engine), explained(/newer version of Spoor/))
  assert.deepEqual(await engine.select('SELECT version FROM schema_versions'), [[TELEMETRY_SCHEMA_VERSION + 1]])
})
