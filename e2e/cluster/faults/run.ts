// node e2e/cluster/faults/run.ts [--rounds 300] [--only node-killed,commit-cut] [--seed N] [--embedded] [--short]
//   [--nodes 3] [--shards 1] [--before CHECKOUT]
// Strikes a cluster with faults under load, then compares everything that was acknowledged with the stored data. Every
// few rounds a new cluster begins, with a seed of its own. With --before, each round begins one of that version, and
// its nodes are upgraded in turn.
import { parseArgs } from 'node:util'
import { printFaultReport } from '../../lib/faults/print-fault-report.ts'
import { type FaultName, programOf } from './faults.ts'
import { type FaultCounts, type FaultReport, runFaults, sumOf } from './run-faults.ts'

const ROUNDS_OF_A_CLUSTER = 10

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    nodes: { type: 'string', default: '3' },
    shards: { type: 'string', default: '1' },
    embedded: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    before: { type: 'string' },
  },
})
const total = Number(values.rounds)
const isUpgrade = values.before !== undefined
const roundsOfOne = isUpgrade ? 1 : ROUNDS_OF_A_CLUSTER
const only = (isUpgrade ? ['upgraded-in-turn'] : values.only.split(',').filter(Boolean)) as FaultName[]
const reports: FaultReport[] = []
for (let begun = 0; begun < total; begun += roundsOfOne) {
  const seed = Number(values.seed) + begun
  const rounds = Math.min(roundsOfOne, total - begun)
  console.log(`seed ${seed}, ${rounds} rounds`)
  const report = await runFaults({
    rounds,
    seed,
    only,
    firstTurn: begun,
    nodes: Number(values.nodes),
    shards: Number(values.shards),
    embedded: values.embedded,
    isLong: !values.short,
    before: values.before === undefined ? null : await programOf(values.before),
    progress: (line) => console.log(line),
  })
  if (typeof report === 'string') throw new Error(report)
  reports.push(report)
}
type Count = {
  readonly [Field in keyof FaultReport]: FaultReport[Field] extends number ? Field : never
}[keyof FaultReport]
const sum = (field: Count) => reports.reduce((all, report) => all + report[field], 0)
const faults: Record<string, FaultCounts> = {}
for (const report of reports)
  for (const [name, counts] of Object.entries(report.faults)) faults[name] = sumOf(faults[name], counts)
console.table(faults)
const summary = {
  traces: sum('traces'),
  steps: sum('steps'),
  metricEvents: sum('metricEvents'),
  acknowledgedRequests: sum('acknowledgedRequests'),
  uploads: sum('uploads'),
  monitorTurns: sum('monitorTurns'),
  discoveries: sum('discoveries'),
  tailConnections: sum('tailConnections'),
  cutCommits: sum('cutCommits'),
  violations: reports.flatMap(({ violations }) => violations),
}
printFaultReport(summary)
