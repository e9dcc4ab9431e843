/**
 * More clients than the service can serve: 2,000 connections with bodies of 100 KB, compared with 64 of the same in the
 * same minutes. Throughput must not collapse, the service must stay responsive, and memory must stay bounded.
 *
 *     node bench/overload.bench.ts [--quick]
 */
import { join } from 'node:path'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { Probes } from './lib/probes.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { largeTraceBodies } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const FEW = 64
const MANY = 2000
const BODY_BYTES = 100 * 1024
const SHARE_NEEDED = 0.7
const ANSWER_ALLOWED_MS = 250
const MEMORY_ALLOWED_MB = 700
const REST_ALLOWED_MB = 560

const { quick } = readOptions()
const ROUNDS = quick ? 1 : 3
const ROUND_MS = quick ? 15_000 : 30_000
const REST_MS = quick ? 30_000 : 5 * 60_000

const report = new Report(`Overload: ${MANY} connections with bodies of ${BODY_BYTES / 1024} KB`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const memory = new MemorySamples(service, 250)
  const requests = largeTraceBodies(32, BODY_BYTES).map((bytes) =>
    httpRequest('POST', '/v1/traces', service.key, { type: 'application/json', bytes }),
  )
  const committedPerSecond = async (connections: number, obeysRetryAfter: boolean) => {
    const before = await committed(service)
    const result = await load.run({ port: service.port, connections, requests, durationMs: ROUND_MS, obeysRetryAfter })
    return { rate: ((await committed(service)) - before) / result.seconds, refused: result.failed }
  }
  await committedPerSecond(FEW, true)
  for (const obeysRetryAfter of [true, false]) {
    const who = obeysRetryAfter ? 'clients that wait' : 'clients that do not wait'
    const shares: number[] = []
    const rates: string[] = []
    const probes = new Probes(service)
    for (let round = 0; round < ROUNDS; round++) {
      const few = await committedPerSecond(FEW, obeysRetryAfter)
      probes.start()
      const many = await committedPerSecond(MANY, obeysRetryAfter)
      await probes.stop()
      shares.push(many.rate / few.rate)
      rates.push(`${amount(few.rate)} and ${amount(many.rate)}/s, ${amount(many.refused)} refused`)
    }
    report.atLeast(`${who}: share of ${FEW} connections`, median(shares), SHARE_NEEDED, '', rates.join('; '))
    for (const [path, times] of probes.timesMs) {
      const remark = `p50 ${amount(percentile(times, 0.5))}, of ${times.length}`
      report.atMost(`${who}: ${path} p99`, percentile(times, 0.99), ANSWER_ALLOWED_MS, 'ms', remark)
    }
  }
  memory.stop()
  report.atMost('greatest memory', memory.greatest, MEMORY_ALLOWED_MB, 'MB', `median ${amount(median(memory.values))}`)
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  report.atMost(`memory ${REST_MS / 1000} s after`, service.rssMb(), REST_ALLOWED_MB, 'MB')
  await Promise.all([load.stop(), service.stop()])
})
report.end()

async function committed(service: ServiceUnderTest): Promise<number> {
  return (await service.metrics()).get('spoor_commit_traces_sum') ?? 0
}
