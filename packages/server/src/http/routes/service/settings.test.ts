import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { Settings } from '@spoor/contract/schemas/settings'
import { Compile } from 'typebox/compile'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../../test-world/transports.test-support.ts'

test('the settings are shown to every key that can read, with every limit', async () => {
  const { app } = createHttpWorld({ limits: { listLimitMax: 7 } })
  const port = await listen(app)
  const ask = async (key: string) => sendTo(port, { path: '/v1/settings', headers: { 'x-api-key': key } })
  assert.deepEqual([(await ask('writer')).status, (await ask('junk')).status], [403, 401])
  const answer = await ask('reader')
  const settings = answer.json()
  assert.ok(Compile(Settings).Check(settings), answer.text)
  assert.equal(Object.keys(settings.limits).length, Object.keys(DEFAULT_LIMITS).length)
  const { version, limits, retention, features } = settings
  assert.deepEqual(
    [version, limits.list_limit_max, limits.trace_body_bytes],
    ['0.0.0-test', 7, DEFAULT_LIMITS.traceBodyBytes],
  )
  assert.deepEqual(retention, {
    journal_seconds: 604_800,
    delivery_seconds: 2_592_000,
    idempotency_seconds: 2_592_000,
    audit_seconds: 86_400,
    session_seconds: 3600,
  })
  assert.deepEqual(features, {
    full_text: true,
    media_store: 'folder',
    monitor_interval_seconds: 15,
    trace_quiet_seconds: 30,
  })
})
