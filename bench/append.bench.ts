/**
 * One NDJSON stream of steps of 1 KB, as fast as the service accepts it. Every verdict must arrive, and memory must
 * stay flat.
 *
 *     node bench/append.bench.ts [--quick]
 */
import { join } from 'node:path'
import type { AppendJob, AppendResult } from './lib/workers/append-process.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const STEPS_PER_SECOND_NEEDED = 20_000
const MEMORY_ALLOWED_MB = 700
/** Normal variation by garbage collection and merges. */
const GROWTH_ALLOWED_MB = 50

const { quick } = readOptions()
/** The limit of one request is 256 MiB. */
const STEPS = quick ? 64_000 : 192_000
const STREAMS = quick ? 2 : 5
const SHORT_STREAM = 12_800

const report = new Report(`Step append: streams of ${amount(STEPS)} steps, one at a time`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const appender = await startWorker<AppendJob, AppendResult>('append-process')
  const append = async (keyed: boolean, steps: number) =>
    appender.run({ port: service.port, key: service.key, traceId: await newTrace(service), steps, keyed })
  await append(false, SHORT_STREAM)
  for (const keyed of [false, true]) {
    const name = keyed ? 'with idempotency keys' : 'without keys'
    const memory = new MemorySamples(service, 250)
    const results: AppendResult[] = []
    for (let stream = 0; stream < STREAMS; stream++) results.push(await append(keyed, STEPS))
    memory.stop()
    const lost = results.reduce((sum, { created }) => sum + STEPS - created, 0)
    if (lost > 0) throw new Error(`${lost} steps of ${STEPS * STREAMS} were not created`)
    const rates = results.map(({ created, seconds }) => created / seconds)
    const remark = `${rates.map((rate) => amount(rate)).join(' ')}; ${amount(results[0]!.bytes / STEPS)} bytes`
    report.atLeast(`${name}: steps`, median(rates), STEPS_PER_SECOND_NEEDED, '/s', remark)
    const cpu = median(results.map((result) => (1e6 * result.cpuSeconds) / STEPS))
    report.figure(`${name}: CPU of the generator for a step`, amount(cpu, 'µs'))
    const course = `${amount(memory.first)} at first, ${amount(memory.values.at(-1)!)} at last`
    report.atMost(`${name}: greatest memory`, memory.greatest, MEMORY_ALLOWED_MB, 'MB', course)
    report.atMost(`${name}: growth over the second half`, memory.growthOverSecondHalf, GROWTH_ALLOWED_MB, 'MB')
  }
  await Promise.all([appender.stop(), service.stop()])
})
report.end()

async function newTrace({ port, key }: ServiceUnderTest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"name":"one long stream"}',
  })
  return ((await response.json()) as { id: string }).id
}
