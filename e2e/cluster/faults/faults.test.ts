import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFaults } from './run-faults.ts'

/** The long form: node e2e/cluster/faults/run.ts --rounds 300 */
test('the model of the load holds for one process that is killed', async () => {
  const report = await runFaults({ rounds: 2, only: ['all-nodes-killed', 'none'], seed: 20_261_124, embedded: true })
  assert.ok(typeof report !== 'string')
  assert.deepEqual(report.violations, [])
  assert.ok(report.acknowledgedRequests > 100 && report.uploads > 0 && report.monitorTurns > 1, JSON.stringify(report))
})
