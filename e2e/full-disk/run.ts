// node e2e/full-disk/run.ts [--rounds 30] [--seed N] [--disk-mb 1536] [--reserves 512,0,64] [--rounds-per-store 4]
// [--kinds own,other,moments,start] [--seconds-full 20] [--keep]: fill the disk under load, free the space again, then
// compare everything that was acknowledged with the stored data. Backups to the same disk need some hundred MB beside
// the greatest reserve. Needs root, loop devices, ext4 and python3.
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { printFaultReport } from '../lib/faults/print-fault-report.ts'
import { FILL_KINDS, type FillKind, runFullDisk } from './run-full-disk.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'disk-mb': { type: 'string', default: '1536' },
    reserves: { type: 'string', default: '512,0,64' },
    kinds: { type: 'string', default: FILL_KINDS.join() },
    'rounds-per-store': { type: 'string', default: '4' },
    'seconds-full': { type: 'string', default: '20' },
    keep: { type: 'boolean', default: false },
  },
})
exitOnSignals()
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const report = await runFullDisk({
  rounds: Number(values.rounds),
  seed,
  diskMebibytes: Number(values['disk-mb']),
  reservesMebibytes: values.reserves.split(',').map(Number),
  kinds: values.kinds.split(',').map(toKind),
  roundsPerStore: Number(values['rounds-per-store']),
  secondsFull: Number(values['seconds-full']),
  secondsAfter: 5,
  keep: values.keep,
  progress: (line) => console.log(line),
})
printFaultReport(report)

function toKind(name: string): FillKind {
  const kind = FILL_KINDS.find((one) => one === name)
  if (kind === undefined) throw new Error(`there is no kind ${name}, only ${FILL_KINDS.join()}`)
  return kind
}
