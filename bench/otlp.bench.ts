/**
 * Exports of OpenTelemetry, runs of LangSmith and events of Langfuse next to step appends in NDJSON: the same content
 * over the same number of connections, in turns. Lines with an idempotency key have the same guarantee. Then the memory
 * that large exports of many clients add.
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
import type { Form, OtlpJob, OtlpResult } from './lib/workers/otlp-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

/** The share of keyed lines a second that each needs. */
const SHARES_NEEDED = {
  spans: 0.75,
  'spans in JSON': 0.75,
  'runs of LangSmith': 0.7,
  'runs of LangSmith in forms': 0.7,
  'events of Langfuse': 0.7,
} as const satisfies Partial<Record<Form, number>>
const BESIDE = 'keyed lines'
const FORMS: readonly Form[] = [...(Object.keys(SHARES_NEEDED) as Form[]), BESIDE]
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
  const measure = async (form: Form) => {
    const before = cpuSeconds(service.pid) ?? NaN
    const { steps, perSecond } = await sender.run({ ...base, form, connections: CONNECTIONS, durationMs: ROUND_MS })
    return { perSecond, cpuMicroseconds: (1e6 * ((cpuSeconds(service.pid) ?? NaN) - before)) / steps }
  }
  for (const form of FORMS) await measure(form)
  const rounds: Map<Form, Awaited<ReturnType<typeof measure>>>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // A later run finds a warmer machine, so the order alternates.
    const found: (typeof rounds)[number] = new Map()
    for (const form of round % 2 === 0 ? FORMS : FORMS.toReversed()) found.set(form, await measure(form))
    rounds.push(found)
  }
  const figures = (form: Form) => rounds.map((round) => round.get(form)!)
  const of = (form: Form) => amount(median(figures(form).map(({ perSecond }) => perSecond)))
  const cpu = (form: Form) => amount(median(figures(form).map(({ cpuMicroseconds }) => cpuMicroseconds)), 'µs')
  for (const [form, needed] of Object.entries(SHARES_NEEDED) as [keyof typeof SHARES_NEEDED, number][]) {
    const shares = rounds.map((round) => round.get(form)!.perSecond / round.get(BESIDE)!.perSecond)
    const remark = `${of(form)} to ${of(BESIDE)}; ${shares.map((share) => share.toFixed(2)).join(' ')}`
    report.atLeast(`${form} a second over ${BESIDE} a second`, median(shares), needed, '', remark)
  }
  report.figure('processor time of each', FORMS.map((form) => `${form} ${cpu(form)}`).join(', '))

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
