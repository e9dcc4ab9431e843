/**
 * 100 monitors over traces, with windows of 15 minutes to 24 hours, while traces come: their processor time must not
 * depend on how many traces the windows have. Without monitors and with them in turns, on one service.
 *
 *     node bench/trace-monitors.bench.ts [--quick]
 *
 * The stores are built for each run, because their windows end now: half a minute, 200 MB in the system's temporary
 * folder.
 */
import { join } from 'node:path'
import { evaluationInterval } from '../packages/server/src/monitors/due-times.ts'
import { buildMonitorsFolder } from './lib/archives/monitors-folder.ts'
import { DAY_MS } from './lib/archives/series-archive.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'

const SIZES = [30_000, 300_000, 1_000_000]
/** Measured with groups too: by a field of few values, and by one of 5,000. */
const GROUPED_SIZE = 300_000
const GROUPED_BY = ['model', 'user_id'] as const
const MONITORS = 100
/** Of the defaults. */
const INTERVAL_MS = evaluationInterval(15_000)
const MS_ALLOWED = 10
const { quick } = readOptions()
const ROUNDS = quick ? 3 : 8
/** Between two traces. */
const TRACE_EVERY_MS = 3000

const FILTERS = [
  {},
  { run_type: 'agent' },
  { model: 'gpt-4o' },
  { status: 'error' },
  { not_name: 'none' },
  { metadata: { env: 'prod' } },
  { user_id: 'user-7' },
]
const MEASURES = [
  ['count', 'count'],
  ['error_rate', 'avg'],
  ['duration_ms', 'p95'],
  ['total_tokens', 'sum'],
] as const
const WINDOW_SECONDS = [900, 3600, 21_600, 86_400]

const report = new Report(`Monitors over traces: ${MONITORS} of them, ${ROUNDS} times without and with them`)
for (const traces of SIZES) {
  await inTemporaryFolder(async (folder) => {
    const dataDir = join(folder, 'service')
    const end = Date.now() + 1_200_000
    const size = { events: 0, traces, tracesWithinMs: DAY_MS }
    const { key } = await buildMonitorsFolder(dataDir, { ...size, monitors: 0, alarms: 0, end })
    const service = await startService({ dataDir, key })
    await measureOver(service, traces)
    for (const field of traces === GROUPED_SIZE ? GROUPED_BY : []) await measureOver(service, traces, field)
    await service.stop()
  })
}
report.end()

async function measureOver(service: ServiceUnderTest, traces: number, forEach: string | null = null): Promise<void> {
  const ids = await createMonitors(service, forEach)
  const each = forEach === null ? '' : `, for each ${forEach}`
  const coming = new AbortController()
  const [without, withThem]: [number[], number[]] = [[], []]
  const rounds = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await enable(service, ids, true)
      const first = await spent(service, 1)
      if (round === 0) report.figure(`first evaluation over ${amount(traces)} traces${each}`, amount(first, 'ms/s'))
      withThem.push(await spent(service, 2))
      await enable(service, ids, false)
      without.push(await spent(service, 2))
    }
    coming.abort()
  }
  await Promise.all([commitTraces(service, coming.signal), rounds()])
  const remark = `${amount(median(withThem))} with them, ${amount(median(without))} without`
  const ms = median(withThem) - median(without)
  report.atMost(`${MONITORS} monitors over ${amount(traces)} traces of a day${each}`, ms, MS_ALLOWED, 'ms/s', remark)
  report.figure('memory of the service', amount(service.rssMb(), 'MB'))
}

/** Processor milliseconds a second during so many rounds of monitors. */
async function spent({ pid }: ServiceUnderTest, rounds: number): Promise<number> {
  // From the middle between two evaluations.
  const next = Math.floor(Date.now() / INTERVAL_MS + 0.5) * INTERVAL_MS + INTERVAL_MS / 2
  await pause(next - Date.now())
  const [before, began] = [cpuSeconds(pid)!, performance.now()]
  await pause(next + rounds * INTERVAL_MS - Date.now())
  return (1000 * (cpuSeconds(pid)! - before)) / ((performance.now() - began) / 1000)
}

async function createMonitors(service: ServiceUnderTest, forEach: string | null): Promise<readonly string[]> {
  const all = FILTERS.flatMap((filters) =>
    MEASURES.flatMap(([measure, aggregation]) =>
      WINDOW_SECONDS.map((window_seconds) => ({
        filters,
        source: { kind: 'traces', measure },
        aggregation,
        window_seconds,
        for_each: forEach,
      })),
    ),
  )
  const ids: string[] = []
  for (const [n, definition] of all.slice(0, MONITORS).entries()) {
    // None of them fires. An error rate is never above 1, so it needs more traces than there are.
    const limits =
      definition.aggregation === 'avg' ? { threshold: 0.999, min_samples: 10_000_000 } : { threshold: 1e15 }
    const body = { ...definition, ...limits, name: `monitor ${n}`, comparison: 'gt', enabled: false }
    ids.push((await send(service, 'POST', '/v1/monitors', body)).id)
  }
  return ids
}

async function enable(service: ServiceUnderTest, ids: readonly string[], enabled: boolean): Promise<void> {
  for (const id of ids) await send(service, 'PATCH', `/v1/monitors/${id}`, { enabled })
}

async function commitTraces(service: ServiceUnderTest, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const step = { name: 'call', type: 'llm', model: 'gpt-4o', token_usage: { input: n % 1000, output: 10 } }
    const trace = { name: 'flow', run_type: 'agent', user_id: `user-${n % 50}`, metadata: { env: 'prod' } }
    const { id } = await send(service, 'POST', '/v1/traces', { ...trace, steps: [step] })
    await pause(TRACE_EVERY_MS / 2)
    // Some are changed after they were committed.
    if (n % 4 === 0) await send(service, 'PATCH', `/v1/traces/${id}`, { status: 'error' })
    await pause(TRACE_EVERY_MS / 2)
  }
}

async function send(
  { origin, key }: ServiceUnderTest,
  method: string,
  path: string,
  body: object,
): Promise<{ readonly id: string }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as { readonly id: string }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
