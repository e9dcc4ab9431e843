/**
 * Compares this checkout with an older commit: both services run, and each case is measured on both in turns.
 *
 *     node bench/against.bench.ts --against COMMIT [--quick] [--only CASE,CASE]
 *
 * The number after `at` is the number of connections; the default is one. A ratio compares two consecutive runs, this
 * checkout divided by the older commit. The figure is the median of the rounds.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AgainstCase, againstCases, type Side } from './lib/against-cases.ts'
import { checkOut } from './lib/checkout.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'

const SHARE_NEEDED = 0.95

const { values: options } = parseArgs({
  options: { against: { type: 'string' }, quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
if (options.against === undefined) throw new Error('--against COMMIT says which commit to run beside this checkout')
const commit = execFileSync('git', ['rev-parse', '--verify', `${options.against}^{commit}`], {
  encoding: 'utf8',
}).trim()
const ROUNDS = options.quick ? 3 : 7
const ROUND_MS = options.quick ? 3000 : 6000
const only = options.only?.split(',')

const report = new Report(`Against ${commit.slice(0, 8)}: ${ROUNDS} rounds of ${ROUND_MS / 1000} s on each side`)
await inTemporaryFolder(async (folder) => {
  const root = join(folder, 'checkout')
  checkOut(commit, root)
  const environment = { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8', SPOOR_MONITOR_INTERVAL_SECONDS: '4' }
  const before: Side = await startService({ dataDir: join(folder, 'before'), root, environment })
  const after: Side = await startService({ dataDir: join(folder, 'after'), environment })
  const cases = await againstCases(ROUND_MS)
  const unknown = only?.find((name) => !cases.list.some((one) => one.name === name))
  if (unknown !== undefined) {
    throw new Error(`there is no case "${unknown}": ${cases.list.map(({ name }) => name).join(', ')}`)
  }
  for (const one of cases.list) {
    if (only?.includes(one.name) === false) continue
    for (const side of [before, after]) await one.prepare?.(side)
    await compare(one, before, after)
  }
  await Promise.all([before.stop(), after.stop(), cases.stop()])
})
report.end()

interface Measured {
  readonly perSecond: number | null
  readonly cpuMicroseconds: number
}

async function compare({ name, unit, ...work }: AgainstCase, before: Side, after: Side): Promise<void> {
  for (const side of [before, after]) await measure(work, side)
  const rounds: { readonly before: Measured; readonly after: Measured }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The second run finds a warmer machine, so the sides alternate.
    const first = await measure(work, round % 2 === 0 ? before : after)
    const second = await measure(work, round % 2 === 0 ? after : before)
    rounds.push(round % 2 === 0 ? { before: first, after: second } : { before: second, after: first })
  }
  const compared = (read: (measured: Measured) => number) => ({
    both: `${amount(median(rounds.map((round) => read(round.after))))} to ${amount(median(rounds.map((round) => read(round.before))))}`,
    ratios: rounds.map((round) => read(round.after) / read(round.before)),
  })
  const spread = (ratios: readonly number[]) => ratios.map((ratio) => ratio.toFixed(2)).join(' ')
  const cpu = compared(({ cpuMicroseconds }) => cpuMicroseconds)
  const remark = `${cpu.both} µs for one; ${spread(cpu.ratios)}`
  if (rounds[0]?.after.perSecond === null) {
    report.atMost(`${name}: processor time`, median(cpu.ratios), 1 / SHARE_NEEDED, 'times', remark)
    return
  }
  const rate = compared(({ perSecond }) => perSecond ?? NaN)
  report.atLeast(name, median(rate.ratios), SHARE_NEEDED, '', `${rate.both} ${unit}; ${spread(rate.ratios)}`)
  report.figure(`${name}: processor time`, `${amount(median(cpu.ratios))} times (${remark})`)
}

async function measure({ run, settled }: Pick<AgainstCase, 'run' | 'settled'>, side: Side): Promise<Measured> {
  const before = cpuSeconds(side.pid) ?? NaN
  const { operations, perSecond } = await run(side)
  await settled?.(side)
  return { perSecond, cpuMicroseconds: (1e6 * ((cpuSeconds(side.pid) ?? NaN) - before)) / operations }
}
