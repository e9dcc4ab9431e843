/**
 * False alarms of the comparison of versions, which looks again and again, and how soon it finds a drop.
 *
 *     node bench/versions.bench.ts [--quick]
 */
import type { ClusterId, TraceId } from '../packages/contract/src/ids.ts'
import { createRandom } from '../packages/clustering/src/partition/seeded-random.ts'
import { comparedVersion } from '../packages/server/src/traces/insight/versions/compare-versions.ts'
import type { JudgedRun } from '../packages/server/src/ports/traces/trace-versions.ts'
import { readLines } from './lib/clusters/labelled-traces.ts'
import { readOptions } from './lib/options.ts'
import { Report } from './lib/report.ts'

interface Outcome {
  readonly cluster: number
  readonly failed: boolean
}

const { quick } = readOptions()
const report = new Report('Versions')
const random = createRandom(6)
const CLUSTERS = 8
/** Runs of each version. */
const RUNS = 600
const LOOK_EVERY = 10
const DROPS = [0.05, 0.1, 0.2, 0.3, 0.4] as const

falseAlarms(quick ? 100 : 1000)
plantedDrops(quick ? 100 : 1000)
report.end()

/** Outcomes of public runs, by task; without these, of made ones. */
function falseAlarms(splits: number): void {
  const outcomes =
    readLines<Line, Outcome>('airline-traces.jsonl', ({ metadata }) => {
      return { cluster: metadata.task_id % CLUSTERS, failed: metadata.reward !== 1 }
    }) ?? Array.from({ length: 160 }, (_, at) => ({ cluster: at % CLUSTERS, failed: at % 5 < 3 }))
  const drawn = () => Array.from({ length: RUNS }, () => outcomes[Math.floor(random() * outcomes.length)]!)
  let alarms = 0
  for (let split = 0; split < splits; split += 1) {
    const [before, now] = [drawn(), drawn()]
    const members = membersOf(before, now)
    const looks = Array.from({ length: RUNS / LOOK_EVERY }, (_, at) => (at + 1) * LOOK_EVERY)
    if (looks.some((count) => isAlarm(count, before, now, members))) alarms += 1
  }
  report.atMost('random splits with an alarm', alarms / splits, 0.05, '', `${alarms} of ${splits}`)
}

/** A failure rate that rises by ten points, over all runs. */
function plantedDrops(rounds: number): void {
  let [found, all] = [0, 0]
  for (const rate of DROPS) {
    const fixed = fixedSample(rate, rate + 0.1)
    const outcomes = (of: number) =>
      Array.from({ length: Math.floor(1.5 * fixed) }, (_, at) => ({ cluster: at % CLUSTERS, failed: random() < of }))
    const needed: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [before, now] = [outcomes(rate), outcomes(rate + 0.1)]
      let count = LOOK_EVERY
      while (count <= now.length && !isAlarm(count, before, now, [])) count += LOOK_EVERY
      needed.push(count <= now.length ? count / fixed : Infinity)
    }
    const within = needed.filter((times) => times <= 1.5).length
    const median = needed.sort((one, other) => one - other)[Math.floor(rounds / 2)]!
    found += within
    all += rounds
    const name = `from ${100 * rate} to ${Math.round(100 * rate + 10)} % failures`
    report.atMost(
      `${name}: median runs, as a multiple of a fixed test`,
      median,
      1.5,
      '',
      `${within} of ${rounds} within 1.5`,
    )
  }
  report.atLeast('drops of 10 points found within 1.5 times the runs of a fixed test', found / all, 0.8)
}

interface Line {
  readonly metadata: { readonly task_id: number; readonly reward: number }
}

type Members = Parameters<typeof comparedVersion>[2]

function membersOf(before: readonly Outcome[], now: readonly Outcome[]): Members {
  return Array.from({ length: CLUSTERS }, (_, cluster) => {
    const idsOf = (version: string, outcomes: readonly Outcome[]) =>
      outcomes.flatMap((one, at) => (one.cluster === cluster ? [idOf(version, at)] : []))
    const ids = new Set([...idsOf('a', before), ...idsOf('b', now)])
    return { cluster: { id: `clu_${cluster}` as ClusterId, label: '' }, ids }
  })
}

/** Whether the first runs of both show a regression, over all or in a cluster. */
function isAlarm(count: number, before: readonly Outcome[], now: readonly Outcome[], members: Members): boolean {
  const [earlier, later] = [versionOf('a', before.slice(0, count)), versionOf('b', now.slice(0, count))]
  const { comparison, clusters } = comparedVersion(later, earlier, members)
  return comparison!.regressed || clusters.some(({ regressed }) => regressed)
}

function idOf(version: string, at: number): TraceId {
  return `tr_${version}${at}` as TraceId
}

function versionOf(version: string, outcomes: readonly Outcome[]) {
  const first = outcomes.map(({ failed }, at): JudgedRun => ({ id: idOf(version, at), failed }))
  const failed = first.filter((run) => run.failed).length
  return { version, runs: first.length, failed, firstAt: 0, lastAt: 0, first }
}

/** Runs of each version that a two-sided test of level 5 % and power 0.8 needs. */
function fixedSample(one: number, other: number): number {
  const mean = (one + other) / 2
  const [alpha, power] = [1.959964, 0.841621]
  const spread = alpha * Math.sqrt(2 * mean * (1 - mean)) + power * Math.sqrt(one * (1 - one) + other * (1 - other))
  return Math.ceil((spread / (other - one)) ** 2)
}
