/**
 * Deliveries: the rate during ingest, compared with bare sockets to the same receivers; the time to arrival; the cost
 * of one hanging receiver for the others; the cost of a million deliveries to dead receivers.
 *
 *     node bench/webhooks.bench.ts [--quick]
 */
import { join } from 'node:path'
import type { DeliveryLatencyJob, DeliveryLatencyResult } from './lib/workers/delivery-latency-process.ts'
import { fillDeliveries } from './lib/archives/fill-deliveries.ts'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import type { ReceiversJob, ReceiversResult } from './lib/workers/receivers-process.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { subscribe, waitUntilDelivered } from './lib/subscribe.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const DELIVERIES_PER_SECOND_NEEDED = 1500
const ARRIVAL_ALLOWED_MS = 50
const SHARE_OF_OTHERS_NEEDED = 0.9
const CORE_ALLOWED = 0.1
const GROWTH_ALLOWED_MB = 16
const SUBSCRIPTIONS = 10
const RECEIVERS = 20
/** Pending deliveries to dead receivers, and their subscriptions. */
const PENDING = 1_000_000
const DEAD_RECEIVERS = 10

const { quick } = readOptions()
const ROUNDS = quick ? 2 : 5
const ROUND_MS = quick ? 5000 : 10_000
const LATENCIES = quick ? 100 : 400
const TRACES_TO_EACH = quick ? 500 : 1500
const PENDING_WATCHED_MS = quick ? 30_000 : 120_000
const ENVIRONMENT = { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }

const report = new Report(`Webhooks: medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  await measureRate(join(folder, 'rate'), load)
  await measureLatency(join(folder, 'latency'), load)
  await measureHanging(join(folder, 'hanging'), load)
  await load.stop()
  await measurePending(join(folder, 'pending'))
})
report.end()

/**
 * Ingests at full speed, with each trace delivered to ten receivers: more than can be sent meanwhile, so deliveries
 * never run out.
 */
async function measureRate(dataDir: string, load: WorkerProcess<LoadJob, LoadResult>): Promise<void> {
  const service = await startService({ dataDir, environment: ENVIRONMENT })
  const receivers = await startWorker<ReceiversJob, ReceiversResult>('receivers-process')
  const { ports } = await receivers.run({ open: SUBSCRIPTIONS })
  const requests = traceRequests(service.key)
  const ingest = (durationMs: number) => load.run({ port: service.port, connections: 16, requests, durationMs })
  await ingest(ROUND_MS / 2)
  const alone = await ingest(ROUND_MS)
  await subscribe(service, ports)
  const rates: number[] = []
  const ingested: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const body = { type: 'application/json', bytes: Buffer.alloc(700, 'x') }
    const sockets = await load.run({
      port: ports[0]!,
      connections: 64,
      requests: [httpRequest('POST', '/', service.key, body, { connection: 'keep-alive' })],
      durationMs: ROUND_MS / 4,
    })
    bare.push(sockets.perSecond)
    const [counted, taken] = await Promise.all([receivers.run({ forMs: ROUND_MS }), ingest(ROUND_MS)])
    rates.push(counted.requests.reduce((sum, count) => sum + count, 0) / counted.seconds)
    ingested.push(taken.perSecond)
    await waitUntilDelivered(service)
  }
  report.atLeast(
    'deliveries beside ingest at full speed',
    median(rates),
    DELIVERIES_PER_SECOND_NEEDED,
    '/s',
    rates.map((rate) => amount(rate)).join(' '),
  )
  report.figure(
    'traces a second meanwhile',
    `${amount(median(ingested))} (${amount(alone.perSecond)} without webhooks)`,
  )
  report.figure('share of bare sockets, which do nothing else', amount(median(rates) / median(bare)))
  report.figure('memory of the service', amount(service.rssMb(), 'MB'))
  await Promise.all([service.stop(), receivers.stop()])
}

async function measureLatency(dataDir: string, load: WorkerProcess<LoadJob, LoadResult>): Promise<void> {
  const service = await startService({ dataDir, environment: ENVIRONMENT })
  const worker = await startWorker<DeliveryLatencyJob, DeliveryLatencyResult>('delivery-latency-process')
  const { port, key } = service
  const { receiverPort } = await worker.run({ port: null, key, traces: 0 })
  await subscribe(service, [receiverPort])
  await worker.run({ port, key, traces: 20 })
  const idle = await worker.run({ port, key, traces: LATENCIES })
  const p95 = ({ latenciesMs }: DeliveryLatencyResult) => `p95 ${amount(percentile(latenciesMs, 0.95))}`
  report.atMost('acknowledgement to arrival, idle: p50', median(idle.latenciesMs), ARRIVAL_ALLOWED_MS, 'ms', p95(idle))
  const requests = traceRequests(key)
  const [busy, ingest] = await Promise.all([
    worker.run({ port, key, traces: LATENCIES / 2 }),
    load.run({ port, connections: 16, requests, thinkMs: 60, durationMs: ROUND_MS }),
  ])
  const name = `the same beside ${amount(ingest.perSecond)} traces a second: p50`
  report.atMost(name, median(busy.latenciesMs), ARRIVAL_ALLOWED_MS, 'ms', p95(busy))
  await Promise.all([service.stop(), worker.stop()])
}

/**
 * The rate of 19 receivers, alternately in a service whose twentieth receiver never answers and in one whose twentieth
 * is healthy.
 */
async function measureHanging(folder: string, load: WorkerProcess<LoadJob, LoadResult>): Promise<void> {
  const receivers = await startWorker<ReceiversJob, ReceiversResult>('receivers-process')
  const { ports } = await receivers.run({ open: 2 * RECEIVERS })
  const services = await Promise.all(
    ['healthy', 'hanging'].map((name) => startService({ dataDir: join(folder, name), environment: ENVIRONMENT })),
  )
  for (const [n, service] of services.entries()) {
    await subscribe(service, ports.slice(n * RECEIVERS, (n + 1) * RECEIVERS))
  }
  await receivers.run({ silent: [RECEIVERS] })
  const rateOf = async (n: number) => {
    const { port, key } = services[n]!
    const among = Array.from({ length: RECEIVERS - 1 }, (_, index) => n * RECEIVERS + 1 + index)
    const [{ requests, seconds }] = await Promise.all([
      receivers.run({ count: TRACES_TO_EACH, among, withinMs: 120_000 }),
      load.run({ port, connections: 16, requests: traceRequests(key), total: TRACES_TO_EACH }),
    ])
    if (among.some((index) => requests[index]! < TRACES_TO_EACH))
      throw new Error(`not all arrived: ${requests.join(' ')}`)
    return (TRACES_TO_EACH * among.length) / seconds
  }
  await rateOf(0)
  await rateOf(1)
  const shares: number[] = []
  const spread: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [healthy, hanging] = [await rateOf(0), await rateOf(1)]
    shares.push(hanging / healthy)
    spread.push(`${amount(hanging)} of ${amount(healthy)}`)
  }
  report.atLeast('one of 20 hangs: rate of the others', median(shares), SHARE_OF_OTHERS_NEEDED, '', spread.join(', '))
  await Promise.all([...services.map((service) => service.stop()), receivers.stop()])
}

async function measurePending(dataDir: string): Promise<void> {
  const first = await startService({ dataDir, environment: ENVIRONMENT })
  const receivers = await startWorker<ReceiversJob, ReceiversResult>('receivers-process')
  const { ports } = await receivers.run({ open: DEAD_RECEIVERS })
  await receivers.stop()
  const webhooks = await subscribe(first, ports)
  await first.stop()
  const idleService = await startService({ dataDir, key: first.key, environment: ENVIRONMENT })
  const idle = await coreShare(idleService, PENDING_WATCHED_MS / 4)
  await idleService.stop()

  await fillDeliveries(dataDir, webhooks, PENDING)
  const service = await startService({ dataDir, key: first.key, environment: ENVIRONMENT })
  report.figure(`start to ready with ${amount(PENDING)} pending`, amount(service.startMs, 'ms'))
  // The first attempts, until the breakers open.
  await coreShare(service, 10_000)
  const memory = new MemorySamples(service, 500)
  const share = await coreShare(service, PENDING_WATCHED_MS)
  memory.stop()
  report.atMost('a million to dead receivers: share of a core', share, CORE_ALLOWED, '', `${amount(idle)} without`)
  report.atMost(
    'memory that grows meanwhile',
    memory.growthOverSecondHalf,
    GROWTH_ALLOWED_MB,
    'MB',
    `${amount(memory.greatest)} MB in all`,
  )
  await service.stop()
}

/** The share of one core that the process uses during this time. */
async function coreShare({ pid }: ServiceUnderTest, durationMs: number): Promise<number> {
  const [before, began] = [cpuSeconds(pid) ?? NaN, performance.now()]
  await new Promise((resolve) => setTimeout(resolve, durationMs))
  return ((cpuSeconds(pid) ?? NaN) - before) / ((performance.now() - began) / 1000)
}
