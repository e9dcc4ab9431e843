import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKills } from './run-kills.ts'

/** The long form: node e2e/clusters/run.ts --rounds 30 */
test('after kill -9 at random moments each discovery ends, and its events are emitted once', async () => {
  const report = await runKills({ rounds: 3, seed: 20_261_137, progress: () => undefined })
  assert.deepEqual(report.violations, [])
  assert.ok(report.kills > 2 && report.eventsReceived > 1, JSON.stringify(report))
  assert.ok((report.phases['listing'] ?? 0) > 0, JSON.stringify(report.phases))
})
