// node e2e/kills/run.ts [--rounds 100] [--seed N]: kill -9 during backups, restores, deletions, exports and imports.
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { printKillReport } from '../lib/faults/print-kill-report.ts'
import { runKills } from './run-kills.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
exitOnSignals()
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const report = await runKills({ rounds: Number(values.rounds), seed, progress: (line) => console.log(line) })
printKillReport(report, 'nothing half done was taken for whole')
