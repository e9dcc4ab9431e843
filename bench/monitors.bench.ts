/**
 * The service with 1,000 monitors over two million metric events and a million traces: the cost of their rounds, the
 * time until a crossing is reported, and the cost of catching up on an hour of downtime.
 *
 *     node bench/monitors.bench.ts [--quick]
 *
 * The store is built for each run, because its windows end now: a minute, 1 GB in the system's temporary folder.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { evaluationInterval } from '../packages/server/src/monitors/due-times.ts'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { buildMonitorsFolder } from './lib/archives/monitors-folder.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const EVENTS = 2_000_000
const TRACES = 1_000_000
const MONITORS = 1000
const REPORTED_WITHIN_MS = 30_000
const INTERVAL_MS = evaluationInterval(REPORTED_WITHIN_MS)
const SHARE_ALLOWED = 10
/** Above this, a reader of the service would notice a running round. */
const BLOCKED_ALLOWED_MS = 50
const DOWNTIME_MS = 3_600_000
const CAUGHT_UP_ALLOWED_MS = 60_000
const ANSWER_ALLOWED_MS = 100

const { quick } = readOptions()
const ROUNDS = quick ? 3 : 10
/** Times of the crossings after an evaluation. */
const CROSSINGS_AFTER_MS = [50, 8000, 16_000, 23_000]
/** Connections that commit a trace every 20 ms, while another crossing comes right after an evaluation. */
const COMMITTERS = 8
const COMMIT_EVERY_MS = 20

const report = new Report(
  `Monitors: ${amount(MONITORS)} over ${amount(EVENTS)} events and ${amount(TRACES)} traces, crossings reported within ${REPORTED_WITHIN_MS / 1000} s; ${ROUNDS} rounds`,
)
await inTemporaryFolder(async (folder) => {
  const dataDir = join(folder, 'service')
  const { key, alarms } = await buildMonitorsFolder(dataDir, {
    events: EVENTS,
    traces: TRACES,
    monitors: MONITORS,
    alarms: ROUNDS * CROSSINGS_AFTER_MS.length + 1,
    end: Date.now() + 1_200_000,
  })
  const environment = { SPOOR_MONITOR_INTERVAL_SECONDS: String(REPORTED_WITHIN_MS / 1000) }
  const service = await startService({ dataDir, key, environment })
  const traceId = await commitTrace(service)
  await measureRounds(service, traceId, alarms.slice(1))
  await measureUnderIngest(service, traceId, alarms[0]!)
  await service.stop()
  await measureCatchUp(dataDir, () => startService({ dataDir, key, environment }))
})
report.end()

interface Crossing {
  readonly name: string
  readonly acknowledgedAt: number
}

async function measureRounds(service: ServiceUnderTest, traceId: string, alarms: readonly string[]): Promise<void> {
  const shares: number[] = []
  const blockedMs: number[] = []
  const crossings: Crossing[] = []
  // Between two rounds; the first one of the service has passed by then, and engine and caches are warm.
  await waitUntil(nextEvaluation() + INTERVAL_MS - 1000)
  for (let round = 0; round < ROUNDS; round++) {
    await blockedSince(service)
    const [cpuBefore, began] = [cpuSeconds(service.pid)!, performance.now()]
    const at = nextEvaluation()
    for (const [n, afterMs] of CROSSINGS_AFTER_MS.entries()) {
      await waitUntil(at + afterMs)
      crossings.push(await cross(service, traceId, alarms[round * CROSSINGS_AFTER_MS.length + n]!))
    }
    const seconds = (performance.now() - began) / 1000
    shares.push((100 * (cpuSeconds(service.pid)! - cpuBefore)) / seconds)
    blockedMs.push(await blockedSince(service))
  }
  await waitUntil(nextEvaluation() + 3000)
  const spread = shares.map((share) => amount(share)).join(' ')
  report.atMost(`${amount(MONITORS)} monitors, the whole service: one core`, median(shares), SHARE_ALLOWED, '%', spread)
  const most = blockedMs.map((ms) => amount(ms)).join(' ')
  report.atMost('main thread blocked in a round: longest', Math.max(...blockedMs), BLOCKED_ALLOWED_MS, 'ms', most)
  const delaysMs = await reportedAfter(service, crossings)
  const spans = delaysMs.map((ms) => (ms / 1000).toFixed(1)).join(' ')
  report.atMost('acknowledged event to journaled crossing: longest', Math.max(...delaysMs), REPORTED_WITHIN_MS, 'ms')
  report.figure('each crossing, seconds', spans)
  report.figure('memory of the service', amount(service.rssMb(), 'MB'))
}

/** The crossing that waits longest for its evaluation, while each round has many new commits to settle first. */
async function measureUnderIngest(service: ServiceUnderTest, traceId: string, alarm: string): Promise<void> {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const { 'commit of a trace': request } = requestsOf(service)
  const durationMs = INTERVAL_MS + REPORTED_WITHIN_MS
  const job = {
    port: service.port,
    connections: COMMITTERS,
    requests: [request!],
    durationMs,
    thinkMs: COMMIT_EVERY_MS,
  }
  const committed = load.run(job)
  await waitUntil(nextEvaluation() + CROSSINGS_AFTER_MS[0]!)
  const crossing = await cross(service, traceId, alarm)
  const { failed, firstFailure, perSecond } = await committed
  if (failed > 0) throw new Error(`a commit failed: ${firstFailure}`)
  await waitUntil(nextEvaluation() + REPORTED_WITHIN_MS - INTERVAL_MS)
  const [ms] = await reportedAfter(service, [crossing])
  report.atMost('the same during ingest', ms!, REPORTED_WITHIN_MS, 'ms', `${amount(perSecond)} traces/s`)
  await load.stop()
}

async function cross(service: ServiceUnderTest, traceId: string, name: string): Promise<Crossing> {
  await expectStatus(service, '/v1/metrics/events', { name, trace_id: traceId, value: 11 }, 201)
  return { name, acknowledgedAt: Date.now() }
}

async function reportedAfter(service: ServiceUnderTest, crossings: readonly Crossing[]): Promise<readonly number[]> {
  const fired = await firedAt(service)
  const delaysMs = crossings.map(({ name, acknowledgedAt }) => fired.get(name)! - acknowledgedAt)
  if (delaysMs.some((ms) => Number.isNaN(ms))) throw new Error('a crossing was not reported')
  return delaysMs
}

/** Simulates downtime: moves the last evaluation back. */
async function measureCatchUp(dataDir: string, start: () => Promise<ServiceUnderTest>): Promise<void> {
  const control = new DatabaseSync(join(dataDir, 'control.db'))
  control.exec('PRAGMA busy_timeout = 5000')
  const { count } = control.prepare('SELECT count(*) AS count FROM monitors').get()!
  control.exec(`UPDATE monitors SET last_evaluated_at = last_evaluated_at - ${DOWNTIME_MS}`)
  const behind = control.prepare('SELECT count(*) AS count FROM monitors WHERE last_evaluated_at < ?')
  const before = Date.now() - DOWNTIME_MS / 2
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const service = await start()
  const [cpuBefore, began] = [cpuSeconds(service.pid)!, performance.now()]
  await blockedSince(service)
  const latenciesMs = new Map<string, number[]>(Object.keys(requestsOf(service)).map((name) => [name, []]))
  while (Number(behind.get(before)!['count']) > 0) {
    for (const [name, request] of Object.entries(requestsOf(service))) {
      const { port } = service
      const result = await load.run({ port, connections: 1, requests: [request], total: 10, thinkMs: 5 })
      if (result.failed > 0) throw new Error(`${name}: ${result.firstFailure}`)
      latenciesMs.get(name)!.push(...result.latenciesMs)
    }
    if (performance.now() - began > 200_000) {
      console.log(`gave up: ${Number(behind.get(before)!['count'])} of ${Number(count)} are still behind`)
      break
    }
  }
  const ms = performance.now() - began
  const cpu = cpuSeconds(service.pid)! - cpuBefore
  report.atMost(
    `catching up on an hour at the start: ${amount(Number(count))} monitors`,
    ms,
    CAUGHT_UP_ALLOWED_MS,
    'ms',
    `${amount(cpu)} s of CPU`,
  )
  report.atMost('main thread blocked meanwhile: longest', await blockedSince(service), BLOCKED_ALLOWED_MS, 'ms')
  for (const [name, values] of latenciesMs) {
    const remark = `p50 ${amount(median(values))}, longest ${amount(Math.max(...values))}; ${values.length} requests`
    report.atMost(`${name} meanwhile: p95`, percentile(values, 0.95), ANSWER_ALLOWED_MS, 'ms', remark)
  }
  report.figure('memory of the service', amount(service.rssMb(), 'MB'))
  control.close()
  await Promise.all([load.stop(), service.stop()])
}

/** One request that the engine answers, one that commits. */
function requestsOf({ key }: ServiceUnderTest): Readonly<Record<string, Buffer>> {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const body = Buffer.from(JSON.stringify({ name: 'meanwhile', steps: [] }))
  return {
    series: httpRequest('GET', `/v1/metrics/metric-1/series?bucket=5m&start_time=${since}`, key),
    'commit of a trace': httpRequest('POST', '/v1/traces', key, { type: 'application/json', bytes: body }),
  }
}

/** Since the last call. The service samples every 10 ms, so it is at least 10 ms. */
async function blockedSince(service: ServiceUnderTest): Promise<number> {
  return 1000 * (await service.metrics()).get('nodejs_eventloop_lag_max_seconds')!
}

/** When each alarm's transition was written, by its name. */
async function firedAt(service: ServiceUnderTest): Promise<ReadonlyMap<string, number>> {
  const fired = new Map<string, number>()
  let cursor: string | null = null
  do {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await get(service, `/v1/monitors?limit=1000${after}`)) as {
      readonly monitors: readonly { readonly id: string; readonly name: string; readonly state: string }[]
      readonly next_cursor: string | null
    }
    for (const { id, name, state } of page.monitors) {
      if (state !== 'fired') continue
      const { history } = (await get(service, `/v1/monitors/${id}/history`)) as {
        readonly history: readonly { readonly recorded_at: string }[]
      }
      fired.set(name, Date.parse(history[0]!.recorded_at))
    }
    cursor = page.next_cursor
  } while (cursor !== null)
  return fired
}

async function commitTrace(service: ServiceUnderTest): Promise<string> {
  const receipt = await expectStatus(service, '/v1/traces', { name: 'judged', steps: [] }, 202)
  return (JSON.parse(receipt) as { readonly id: string }).id
}

async function get({ port, key }: ServiceUnderTest, path: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
  if (answer.status !== 200) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

async function expectStatus(
  { port, key }: ServiceUnderTest,
  path: string,
  body: object,
  status: number,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`)
  return text
}

function nextEvaluation(): number {
  return (Math.floor(Date.now() / INTERVAL_MS) + 1) * INTERVAL_MS
}

function waitUntil(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())))
}
