import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCuts } from './run-cuts.ts'

/** The long form: node e2e/power/run.ts --cuts 200 */
test('power cuts under load: acknowledged data exists exactly once, and was delivered', async (context) => {
  const report = await runCuts({
    cuts: 2,
    seed: 20_261_122,
    fromSeconds: 2,
    toSeconds: 3,
    kinds: ['load', 'starting'],
    cutsPerStore: 2,
    keep: false,
    progress: (line) => context.diagnostic(line),
  })
  if (typeof report === 'string') return context.skip(report)
  assert.deepEqual(report.violations, [])
  assert.ok(report.cuts === 2 && report.acknowledgedRequests > 200, JSON.stringify(report))
})
