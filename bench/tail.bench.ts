/**
 * The tail: the time from acknowledgement to event, and the cost of 1,000 readers.
 *
 *     node bench/tail.bench.ts [--quick]
 */
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import type { TailLatencyJob, TailLatencyResult } from './lib/workers/tail-latency-process.ts'
import type { TailsJob, TailsResult } from './lib/workers/tails-process.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const LATENCY_ALLOWED_MS = 10
const READERS_MEMORY_ALLOWED_MB = 100
const SHARE_OF_INGEST_NEEDED = 0.5
const MEMORY_ALLOWED_MB = 700
const READERS = 1000
const CONNECTIONS = 16

const { quick } = readOptions()
const EVENTS = quick ? 100 : 500
const ROUNDS = quick ? 3 : 7
const ROUND_MS = quick ? 3000 : 6000

const report = new Report(`Tail: ${EVENTS} events, then ${READERS} readers in ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const requests = traceRequests(service.key)
  const ingest = (durationMs: number) =>
    load.run({ port: service.port, connections: CONNECTIONS, requests, durationMs })
  await ingest(ROUND_MS)
  await measureLatency(service, ingest)
  await measureReaders(service, ingest)
  await Promise.all([load.stop(), service.stop()])
})
report.end()

async function measureLatency(
  { port, key }: ServiceUnderTest,
  ingest: (durationMs: number) => Promise<LoadResult>,
): Promise<void> {
  const worker = await startWorker<TailLatencyJob, TailLatencyResult>('tail-latency-process')
  const idle = await worker.run({ port, key, traces: EVENTS })
  report.atMost('acknowledgement to event, idle: p50', median(idle.latenciesMs), LATENCY_ALLOWED_MS, 'ms', p95Of(idle))
  const [busy] = await Promise.all([worker.run({ port, key, traces: EVENTS / 4 }), ingest(ROUND_MS)])
  const name = `the same beside ${CONNECTIONS} connections: p50`
  report.atMost(name, median(busy.latenciesMs), LATENCY_ALLOWED_MS, 'ms', p95Of(busy))
  await worker.stop()
}

function p95Of({ latenciesMs }: TailLatencyResult): string {
  return `p95 ${amount(percentile(latenciesMs, 0.95))}`
}

/**
 * Alternating rounds with and without readers. The memory of readers is the difference of the peaks; opening them alone
 * must not cost more either.
 */
async function measureReaders(
  service: ServiceUnderTest,
  ingest: (durationMs: number) => Promise<LoadResult>,
): Promise<void> {
  const tails = await startWorker<TailsJob, TailsResult>('tails-process')
  const { port, key } = service
  const added: number[] = []
  const shares: number[] = []
  const rates: string[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const without = await withPeak(service, () => ingest(ROUND_MS))
    const before = service.rssMb()
    await tails.run({ port, key, open: READERS })
    const opened = service.rssMb() - before
    const beside = await withPeak(service, () => ingest(ROUND_MS))
    const taken = await tails.run({ port, key, open: 0 })
    if (taken.closedByService > 0) throw new Error(`the service closed ${taken.closedByService} tails`)
    bytes += taken.bytes
    added.push(Math.max(opened, beside.peakMb - without.peakMb))
    shares.push(beside.result.perSecond / without.result.perSecond)
    rates.push(`${amount(beside.result.perSecond)} of ${amount(without.result.perSecond)}`)
  }
  await tails.stop()
  const spread = added.map((megabytes) => amount(megabytes)).join(', ')
  report.atMost(`${READERS} readers: memory they add`, median(added), READERS_MEMORY_ALLOWED_MB, 'MB', spread)
  report.atLeast(`${READERS} readers: share of ingest`, median(shares), SHARE_OF_INGEST_NEEDED, '', rates.join(', '))
  report.figure(`${READERS} readers: bytes they took`, amount(bytes / 1e6 / (ROUNDS * (ROUND_MS / 1000)), 'MB/s'))
  report.atMost('memory of the service at the end', service.rssMb(), MEMORY_ALLOWED_MB, 'MB')
}

async function withPeak<T>(service: ServiceUnderTest, work: () => Promise<T>): Promise<{ result: T; peakMb: number }> {
  const memory = new MemorySamples(service, 250)
  const result = await work()
  memory.stop()
  return { result, peakMb: memory.greatest }
}
