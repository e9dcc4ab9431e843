import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashes } from './run-crashes.ts'

/** The long form: node e2e/crash/run.ts --rounds 50 */
test('kill -9 at random moments under load: acknowledged data exists exactly once, and the tail lost nothing', async () => {
  const report = await runCrashes({ rounds: 3, seed: 20_260_131, longRoundEvery: Infinity, progress: () => undefined })
  assert.deepEqual(report.violations, [])
  assert.ok(report.settledAtStart > 0, 'no start had to settle anything')
  assert.ok(report.killsWhileStarting > 0, 'no start was killed')
  assert.ok(
    report.acknowledgedRequests > 200 && report.traces > 50 && report.steps > 200 && report.metricEvents > 100,
    JSON.stringify(report),
  )
})
