import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKills } from './run-kills.ts'

/** The long form: node e2e/kills/run.ts --rounds 100 */
test('kill -9 during a backup, a restore, a deletion, an export and an import: nothing half done is taken for whole', async (context) => {
  const report = await runKills({
    rounds: 8,
    share: 0.4,
    seed: 20_261_129,
    progress: (line) => context.diagnostic(line),
  })
  assert.deepEqual(report.violations, [])
  assert.ok(report.killed >= 2, JSON.stringify(report))
})
