import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFaults } from './run-faults.ts'

/** The long form: node e2e/cluster/faults/run.ts --rounds 300 */
test('three nodes struck by faults under load: acknowledged data exists exactly once, and events are emitted once', async (context) => {
  // two-nodes.test.ts kills a node, cluster-nodes.test.ts ClickHouse.
  const report = await runFaults({ rounds: 1, only: ['commit-cut'], seed: 20_261_124 })
  if (typeof report === 'string') return context.skip(report)
  assert.deepEqual(report.violations, [])
  assert.ok(report.cutCommits > 0 && report.uploads > 0 && report.monitorTurns > 0, JSON.stringify(report))
  assert.ok(report.acknowledgedRequests > 80 && report.traces > 15, JSON.stringify(report))
})
