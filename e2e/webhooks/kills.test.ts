import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKills } from './run-kills.ts'

/** The long form: node e2e/webhooks/run.ts --rounds 30 */
test('after kill -9 at random moments each event arrives, under one id, with the same bytes', async () => {
  const report = await runKills({ rounds: 4, seed: 20_261_121, progress: () => undefined })
  assert.deepEqual(report.violations, [])
  assert.ok(report.eventsReceived > 20, JSON.stringify(report))
})
