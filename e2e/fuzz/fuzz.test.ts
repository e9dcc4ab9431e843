import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from './run-fuzz.ts'

const CASES = 1000

/** The long form: node e2e/fuzz/run.ts --cases 12000 --seed 2 */
test('unusual bodies, lines and queries: no status 500, no change of other traces, and accepted data is returned byte for byte', async () => {
  const { violations, ...counts } = await runFuzz({ seed: 1, cases: CASES })
  assert.deepEqual(violations, [])
  assert.ok(counts.bodies + counts.lines + counts.queries + counts.rawRequests >= CASES)
  assert.ok(counts.acceptedTraces > 150 && counts.acceptedSteps > 150, JSON.stringify(counts))
})
