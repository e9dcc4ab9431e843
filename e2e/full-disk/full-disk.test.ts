import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFullDisk } from './run-full-disk.ts'

/** The long form: node e2e/full-disk/run.ts --rounds 30 */
test('a disk that is temporarily full: acknowledged data exists exactly once, also after a restart', async (context) => {
  const report = await runFullDisk({
    rounds: 1,
    seed: 20_261_122,
    diskMebibytes: 1024,
    reservesMebibytes: [0],
    kinds: ['other'],
    roundsPerStore: 1,
    secondsFull: 5,
    secondsAfter: 3,
    keep: false,
    progress: (line) => context.diagnostic(line),
  })
  if (typeof report === 'string') return context.skip(report)
  assert.deepEqual(report.violations, [])
  assert.ok(report.acknowledgedRequests > 100, JSON.stringify(report))
})
