import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFaults } from './run-faults.ts'

/** The long form: node e2e/cluster/faults/run.ts --rounds 300 */
test('three nodes struck by faults under load: acknowledged data exists exactly once, and events are emitted once', async (context) => {
  // two-nodes.test.ts kills a node.
  const report = await runFaults({ rounds: 2, only: ['commit-cut', 'clickhouse-killed'], seed: 20_261_124 })
  if (typeof report === 'string') return context.skip(report)
  assert.deepEqual(report.violations, [])
  assert.ok(report.cutCommits > 0 && report.uploads > 0 && report.monitorTurns > 1, JSON.stringify(report))
  assert.ok(report.acknowledgedRequests > 150 && report.traces > 20, JSON.stringify(report))
})
