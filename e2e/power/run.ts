// node e2e/power/run.ts [--cuts 200] [--seed N] [--from-seconds 20] [--to-seconds 40] [--kinds
// load,early,idle,starting] [--cuts-per-store 12] [--keep]: cut the power of the disk under load, then compare
// everything that was acknowledged with the stored data. Needs root, loop devices, ext4 and python3.
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { printFaultReport } from '../lib/faults/print-fault-report.ts'
import { CUT_KINDS, type CutKind, runCuts } from './run-cuts.ts'

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'from-seconds': { type: 'string', default: '20' },
    'to-seconds': { type: 'string', default: '40' },
    kinds: { type: 'string', default: CUT_KINDS.join() },
    'cuts-per-store': { type: 'string', default: '12' },
    keep: { type: 'boolean', default: false },
  },
})
exitOnSignals()
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const report = await runCuts({
  cuts: Number(values.cuts),
  seed,
  fromSeconds: Number(values['from-seconds']),
  toSeconds: Number(values['to-seconds']),
  kinds: values.kinds.split(',').map(toKind),
  cutsPerStore: Number(values['cuts-per-store']),
  keep: values.keep,
  progress: (line) => console.log(line),
})
printFaultReport(report)

function toKind(name: string): CutKind {
  const kind = CUT_KINDS.find((one) => one === name)
  if (kind === undefined) throw new Error(`there is no kind ${name}, only ${CUT_KINDS.join()}`)
  return kind
}
