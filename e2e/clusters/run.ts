// node e2e/clusters/run.ts [--rounds 30] [--seed N]: kill -9 during discoveries, then compare stored clusters and
// events.
import { parseArgs } from 'node:util'
import { printKillReport } from '../lib/faults/print-kill-report.ts'
import { runKills } from './run-kills.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const report = await runKills({ rounds: Number(values.rounds), seed, progress: (line) => console.log(line) })
printKillReport(report, 'each discovery ended, its events emitted once')
