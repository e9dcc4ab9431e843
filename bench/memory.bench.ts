/**
 * Memory of the service while 64 connections send as fast as it accepts: it must be bounded and stop growing.
 *
 *     node bench/memory.bench.ts [--quick] [--minutes 10]
 */
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const MEMORY_ALLOWED_MB = 700
/** Normal variation by garbage collection and merges. */
const GROWTH_ALLOWED_MB = 30
const CONNECTIONS = 64
const PRINT_EVERY_MS = 60_000

const options = readOptions()
const minutes = options.quick ? 0.75 : options.minutes

const report = new Report(`Memory: ${minutes} minutes of ingest over ${CONNECTIONS} connections`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const requests = traceRequests(service.key)
  const memory = new MemorySamples(service, 1000)
  const progress = setInterval(() => console.log(`        ${amount(service.rssMb(), 'MB')}`), PRINT_EVERY_MS)
  const result = await load.run({
    port: service.port,
    connections: CONNECTIONS,
    requests,
    durationMs: minutes * 60_000,
  })
  clearInterval(progress)
  memory.stop()
  report.figure('traces', `${amount(result.completed)} at ${amount(result.perSecond)}/s, ${result.failed} refused`)
  const course = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    amount(memory.values[Math.floor(share * (memory.values.length - 1))]!),
  )
  report.figure('memory at 0, ¼, ½, ¾ and the end', `${course.join(', ')} MB`)
  const remark = `median ${amount(percentile(memory.values, 0.5))}`
  report.atMost('greatest memory', memory.greatest, MEMORY_ALLOWED_MB, 'MB', remark)
  report.atMost('growth over the second half', memory.growthOverSecondHalf, GROWTH_ALLOWED_MB, 'MB')
  await Promise.all([load.stop(), service.stop()])
})
report.end()
