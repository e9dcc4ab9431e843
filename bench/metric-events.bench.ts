/**
 * Metric events in batches over HTTP, compared with the engine alone on the same rows in the same minutes: for traces
 * in memory, and each for another trace that was not read recently.
 *
 *     node bench/metric-events.bench.ts [--quick]
 */
import { join } from 'node:path'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import type { RawMetricEventsJob, RawMetricEventsResult } from './lib/workers/raw-metric-events-process.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const EVENTS_PER_SECOND_NEEDED = 5000
const MEMORY_ALLOWED_MB = 700
const EVENTS_PER_BATCH = 500
const CONNECTIONS = 4
/** More traces than the service caches: written in turn, none is still in memory. */
const TRACES = 12_000
const METRIC = 'score'

const { quick } = readOptions()
const ROUNDS = quick ? 3 : 7
const ROUND_MS = quick ? 2500 : 6000

const report = new Report(
  `Metric events: batches of ${EVENTS_PER_BATCH}, medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`,
)
await inTemporaryFolder(async (folder) => {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const raw = await startWorker<RawMetricEventsJob, RawMetricEventsResult>('raw-metric-events-process')
  const dataDir = join(folder, 'service')
  const first = await startService({ dataDir })
  const body = { name: 'judged', metadata: { tenant: 'a tenant' }, steps: [{ name: 's', model: 'model-a' }] }
  const requests = [post(first.key, '/v1/traces', body)]
  await load.run({ port: first.port, connections: 64, requests, total: TRACES })
  await expectStatus(first, '/v1/metrics', { name: METRIC, kind: 'numeric' }, 201)
  await first.stop()
  // After a restart, none of them is in memory.
  const service = await startService({ dataDir, key: first.key })
  const traceIds = await allTraces(service)
  if (traceIds.length < TRACES) throw new Error(`${traceIds.length} traces exist, not ${TRACES}`)

  const shapes = { 'of traces in memory': traceIds.slice(0, 100), 'each of another trace, not read lately': traceIds }
  for (const [name, ids] of Object.entries(shapes)) {
    const batches = batchesOf(ids)
    const probe = await expectStatus(service, '/v1/metrics/events', batches[0]!, 200)
    if (probe.includes('"errors":true')) throw new Error(`events are refused: ${probe.slice(0, 500)}`)
    const batchRequests = batches.map((batch) => post(service.key, '/v1/metrics/events', batch))
    const rounds: { readonly service: LoadResult; readonly raw: RawMetricEventsResult }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const job = { port: service.port, connections: CONNECTIONS, requests: batchRequests, durationMs: ROUND_MS }
      const answered = await load.run(job)
      if (answered.failed > 0) throw new Error(`${answered.failed} batches failed: ${answered.firstFailure}`)
      const eventsPerInsert = EVENTS_PER_BATCH * CONNECTIONS
      const inserted = await raw.run({ directory: join(folder, 'raw'), eventsPerInsert, durationMs: ROUND_MS / 2 })
      rounds.push({ service: answered, raw: inserted })
    }
    const rates = rounds.map((round) => round.service.perSecond * EVENTS_PER_BATCH)
    const spread = rates.map((rate) => amount(rate)).join(' ')
    report.atLeast(`${name}: events`, median(rates), EVENTS_PER_SECOND_NEEDED, '/s', spread)
    const alone = median(rounds.map((round) => round.raw.eventsPerSecond))
    const share = median(rounds.map((round, index) => rates[index]! / round.raw.eventsPerSecond))
    report.figure(`${name}: share of the engine alone`, `${amount(share)} (engine alone ${amount(alone)}/s)`)
    const [p50, p95] = [median(rounds.map((r) => r.service.p50)), median(rounds.map((r) => r.service.p95))]
    report.figure(`${name}: answer p50, p95`, `${amount(p50)}, ${amount(p95)} ms`)
  }
  report.atMost('memory of the service at the end', service.rssMb(), MEMORY_ALLOWED_MB, 'MB')
  await Promise.all([service.stop(), load.stop(), raw.stop()])
})
report.end()

/** Cycles through all traces, one event of each. */
function batchesOf(traceIds: readonly string[]): object[][] {
  return Array.from({ length: Math.max(2, Math.ceil(traceIds.length / EVENTS_PER_BATCH)) }, (_, batch) =>
    Array.from({ length: EVENTS_PER_BATCH }, (_item, index) => ({
      name: METRIC,
      trace_id: traceIds[(batch * EVENTS_PER_BATCH + index) % traceIds.length],
      value: index / 7,
      source: 'code',
      metadata: { task: 7 },
    })),
  )
}

async function allTraces({ port, key }: ServiceUnderTest): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await fetch(`http://127.0.0.1:${port}/v1/traces?limit=1000${after}`, {
      headers: { 'x-api-key': key },
    })
    const page = (await answer.json()) as { traces: { id: string }[]; next_cursor: string | null }
    ids.push(...page.traces.map(({ id }) => id))
    cursor = page.next_cursor
  }
  return ids
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

function post(key: string, path: string, body: object): Buffer {
  return httpRequest('POST', path, key, { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) })
}
