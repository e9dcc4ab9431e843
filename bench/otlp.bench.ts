/**
 * Exports of OpenTelemetry in protobuf next to step appends in NDJSON: the same content over the same number of
 * connections, in turns. Then the memory that large exports of many clients add.
 *
 *     node bench/otlp.bench.ts [--quick]
 */
import { join } from 'node:path'
import { cpuSeconds } from './lib/machine-load.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import type { OtlpJob, OtlpResult } from './lib/workers/otlp-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const SHARE_NEEDED = 0.8
const CONNECTIONS = 4
const CLIENTS = 16
/** Slightly less than the limit of one export. */
const LARGE_BYTES = 64 * 1024 * 1024 - 1
const MEMORY_ADDED_MB = 200

const { quick } = readOptions()
const ROUNDS = quick ? 3 : 7
const ROUND_MS = quick ? 2000 : 5000

const report = new Report(`OpenTelemetry: ${ROUNDS} rounds of ${ROUND_MS / 1000} s with ${CONNECTIONS} connections`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const sender = await startWorker<OtlpJob, OtlpResult>('otlp-process')
  const base = { port: service.port, key: service.key }
  const measure = async (form: OtlpJob['form']) => {
    const before = cpuSeconds(service.pid) ?? NaN
    const { steps, perSecond } = await sender.run({ ...base, form, connections: CONNECTIONS, durationMs: ROUND_MS })
    return { perSecond, cpuMicroseconds: (1e6 * ((cpuSeconds(service.pid) ?? NaN) - before)) / steps }
  }
  await measure('lines')
  await measure('spans')
  const rounds: Record<OtlpJob['form'], Awaited<ReturnType<typeof measure>>>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The second run finds a warmer machine, so the forms alternate.
    const [first, second] = round % 2 === 0 ? (['spans', 'lines'] as const) : (['lines', 'spans'] as const)
    const found = [await measure(first), await measure(second)] as const
    rounds.push(round % 2 === 0 ? { spans: found[0], lines: found[1] } : { spans: found[1], lines: found[0] })
  }
  const of = (form: OtlpJob['form']) => amount(median(rounds.map((round) => round[form].perSecond)))
  const shares = rounds.map(({ spans, lines }) => spans.perSecond / lines.perSecond)
  const remark = `${of('spans')} to ${of('lines')}; ${shares.map((share) => share.toFixed(2)).join(' ')}`
  report.atLeast('spans a second over lines a second', median(shares), SHARE_NEEDED, '', remark)
  const cpu = (form: OtlpJob['form']) => amount(median(rounds.map((round) => round[form].cpuMicroseconds)), 'µs')
  report.figure('processor time of a span, of a line', `${cpu('spans')}, ${cpu('lines')}`)

  const before = service.rssMb()
  const memory = new MemorySamples(service, 100)
  const large = { ...base, form: 'spans', connections: quick ? CLIENTS / 4 : CLIENTS, durationMs: 0 } as const
  const { steps, repeated } = await sender.run({ ...large, bodyBytes: LARGE_BYTES })
  memory.stop()
  const course = `${amount(before)} before; ${amount(steps)} spans, ${repeated} requests sent again`
  report.atMost(
    `memory added by 64 MiB of each of ${large.connections} clients`,
    memory.greatest - before,
    MEMORY_ADDED_MB,
    'MB',
    course,
  )
  await Promise.all([sender.stop(), service.stop()])
})
report.end()
