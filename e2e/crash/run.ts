// node e2e/crash/run.ts [--rounds 50] [--long-round-every 20] [--seed N]: kill -9 under load, then compare everything
// that was acknowledged with the stored data.
import { parseArgs } from 'node:util'
import { printKillReport } from '../lib/faults/print-kill-report.ts'
import { runCrashes } from './run-crashes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    'long-round-every': { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const report = await runCrashes({
  rounds: Number(values.rounds),
  seed,
  longRoundEvery: Number(values['long-round-every']),
  progress: (line) => console.log(line),
})
printKillReport(report, 'everything that was acknowledged holds')
