/**
 * What finding repetitions and values from nowhere costs a service at ingest, and how long it compares two long traces.
 *
 *     node bench/insight-service.bench.ts [--quick]
 *
 * Two services run from their sources, one without findings (lib/without-findings.ts), and are measured in turns.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TraceComparison } from '../packages/contract/src/schemas/traces/trace-comparison.ts'
import type { TraceFeed } from '../packages/contract/src/schemas/traces/trace-row.ts'
import { readLines } from './lib/clusters/labelled-traces.ts'
import { httpRequest } from './lib/http-request.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { openStepLine, traceRequests } from './lib/trace-bodies.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const SHARE_NEEDED = 0.95
const COMPARING_ALLOWED_MS = 300
const CONNECTIONS = 16
/** As bin/launch.mjs starts it. */
const AS_LAUNCHED = ['--max-semi-space-size=16']
const WITHOUT = fileURLToPath(new URL('lib/without-findings.ts', import.meta.url))

const { quick } = readOptions()
const ROUNDS = quick ? 9 : 15
const ROUND_MS = quick ? 1500 : 5000

const report = new Report(
  `Insight of a running service: medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s on each side`,
)
await inTemporaryFolder(async (folder) => {
  const start = (name: string, nodeFlags: readonly string[]) =>
    startService({ dataDir: join(folder, name), fromSources: true, nodeFlags: [...AS_LAUNCHED, ...nodeFlags] })
  const without = await start('without', ['--import', WITHOUT])
  const found = await start('with', [])
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  await checkFindings(found, 1)
  await checkFindings(without, 0)
  await compareLongTraces(found)
  const airline = readLines<object, Buffer>('airline-traces.jsonl', (run) => Buffer.from(JSON.stringify(run)))
  const ofRuns = (key: string) =>
    airline?.map((bytes) => httpRequest('POST', '/v1/traces', key, { type: 'application/json', bytes }))
  for (const [name, requestsOf] of [
    ['traces of 10 steps', traceRequests],
    ['runs of an agent', ofRuns],
  ] as const) {
    if (requestsOf(found.key) !== undefined) await measureIngest(name, (side) => requestsOf(side.key)!)
    else report.figure(`ingest with findings, next to without: ${name}`, 'left out: there is no ../shared/data')
  }
  await Promise.all([without.stop(), found.stop(), load.stop()])

  async function measureIngest(name: string, requestsOf: (side: ServiceUnderTest) => readonly Buffer[]): Promise<void> {
    const rounds: { readonly with: Measured; readonly without: Measured }[] = []
    const measure = async (side: ServiceUnderTest): Promise<Measured> => {
      const before = mainThreadSeconds(side)
      const job = { port: side.port, connections: CONNECTIONS, requests: requestsOf(side), durationMs: ROUND_MS }
      const { completed, failed, firstFailure, perSecond } = await load.run(job)
      if (failed > 0) throw new Error(`${failed} requests were refused, first: ${firstFailure}`)
      await settle(side)
      return { perSecond, cpuMicroseconds: (1e6 * (mainThreadSeconds(side) - before)) / completed }
    }
    for (const side of [without, found]) await measure(side)
    for (let round = 0; round < ROUNDS; round += 1) {
      // The second run finds a warmer machine, so the sides alternate.
      const first = await measure(round % 2 === 0 ? without : found)
      const second = await measure(round % 2 === 0 ? found : without)
      rounds.push(round % 2 === 0 ? { without: first, with: second } : { without: second, with: first })
    }
    const compared = (read: (measured: Measured) => number) => {
      const ratios = rounds.map((round) => read(round.with) / read(round.without))
      const [own, other] = [median(rounds.map((one) => read(one.with))), median(rounds.map((one) => read(one.without)))]
      const spread = ratios.map((ratio) => ratio.toFixed(2)).join(' ')
      return { ratio: median(ratios), remark: `${amount(own)} to ${amount(other)}; ${spread}` }
    }
    const rate = compared(({ perSecond }) => perSecond)
    report.atLeast(`ingest with findings, next to without: ${name}`, rate.ratio, SHARE_NEEDED, '', rate.remark)
    const cpu = compared(({ cpuMicroseconds }) => cpuMicroseconds)
    report.figure('… main thread for a trace, µs', `${amount(cpu.ratio)} times (${cpu.remark})`)
  }
})
report.end()

interface Measured {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Findings are work of this thread. Those of the engine merge now and then, as much as a round takes. */
function mainThreadSeconds({ pid }: ServiceUnderTest): number {
  return cpuSeconds(`${pid}/task/${pid}`) ?? NaN
}

/** Waits until the service has done what remains of a round, so that it takes nothing from the other side. */
async function settle({ pid }: ServiceUnderTest): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const before = cpuSeconds(pid) ?? 0
    await delay(250)
    if ((cpuSeconds(pid) ?? 0) - before < 0.03) return
  }
}

/** The bench measures what it says: a loop is found by one of the services only. */
async function checkFindings(side: ServiceUnderTest, expected: number): Promise<void> {
  const call = { role: 'assistant', content: [{ type: 'tool_use', name: 'find', input: { id: 7 } }] }
  const result = { role: 'tool', content: [{ type: 'text', text: 'none' }] }
  await send(side, '/v1/traces', {
    name: 'loop',
    steps: Array.from({ length: 3 }, () => ({ name: 'find', type: 'tool', messages: [call, result] })),
  })
  const { traces } = await send<TraceFeed>(side, '/v1/traces?finding=any')
  if (traces.length !== expected) throw new Error(`${traces.length} traces with a finding, not ${expected}`)
}

/** The second run lacks some steps, has others, and says other things in some. */
async function compareLongTraces(side: ServiceUnderTest): Promise<void> {
  const steps = Array.from({ length: 3000 }, (_, at) => JSON.parse(`${openStepLine(at)}}`) as object)
  const others = steps.flatMap((step, at) => {
    if (at % 50 === 7) return []
    if (at % 50 === 20) return [step, { ...step, name: `extra ${at}` }]
    return at % 10 === 3 ? [JSON.parse(`${openStepLine(at + 500)}}`) as object] : [step]
  })
  const [left, right] = [
    await send<{ id: string }>(side, '/v1/traces', { name: 'long', steps }),
    await send<{ id: string }>(side, '/v1/traces', { name: 'long', steps: others }),
  ]
  const path = `/v1/traces/compare?left=${left.id}&right=${right.id}`
  const [times, cpuTimes]: [number[], number[]] = [[], []]
  for (let time = 0; time < (quick ? 5 : 15); time += 1) {
    const [began, cpuBefore] = [performance.now(), cpuSeconds(side.pid) ?? NaN]
    const { pairs } = await send<TraceComparison>(side, path)
    times.push(performance.now() - began)
    cpuTimes.push(1000 * ((cpuSeconds(side.pid) ?? NaN) - cpuBefore))
    if (pairs.length < 3000) throw new Error(`only ${pairs.length} pairs`)
  }
  const remark = `first ${amount(times[0]!)}, longest ${amount(Math.max(...times))}; CPU ${amount(median(cpuTimes))} ms`
  report.atMost('comparing two traces of 3,000 steps', median(times), COMPARING_ALLOWED_MS, 'ms', remark)
}

async function send<Answer>({ port, key }: ServiceUnderTest, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}
