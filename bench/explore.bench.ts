/**
 * Steps as rows, series of them, and exports over HTTP, at a million traces of 10 steps: wall time beside its limit,
 * and the processor time of the service, which says more on a busy machine. Exports stand next to the engine alone. The
 * traces lie within half an hour; a thirtieth of it stands for a day of thirty.
 *
 *     node bench/explore.bench.ts [--quick] [--store DIRECTORY]
 *
 * The archive is that of the growth bench. Its steps have types, names and models, but no calls of tools: the filter by
 * an argument is one that no step passes, and steps are grouped by name.
 */
import { request } from 'node:http'
import { join } from 'node:path'
import { openChdbEngine } from '../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { instant } from '../packages/server/src/storage/clickhouse/engine/literal.ts'
import { STEP_COLUMNS } from '../packages/server/src/storage/clickhouse/rows/step-row.ts'
import { TRACE_COLUMNS } from '../packages/server/src/storage/clickhouse/rows/trace-row.ts'
import { FINAL_SETTINGS } from '../packages/server/src/storage/clickhouse/series/aggregate-rows.ts'
import { openArchive } from './lib/archives/archive.ts'
import { DENSE_MS, STEPS_PER_TRACE } from './lib/archives/archive-sql.ts'
import { cpuSeconds, rssMb } from './lib/machine-load.ts'
import { readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import { seededRandom } from './lib/vocabulary.ts'

const { quick, store } = readOptions()
const TRACES = 1_000_000
const ROUNDS = quick ? 10 : 40
const SERIES_ROUNDS = quick ? 3 : 10
/** Milliseconds, rows a second and megabytes. */
const LIMITS = { list: 120, newest: 20, day: 150, month: 800, argument: 300, rows: 50_000, memory: 150 }
const EXPORTED_ROWS = quick ? 50_000 : 500_000

const archive = await openArchive(store, TRACES, DENSE_MS)
const spanMs = TRACES * archive.intervalMs
const timeAt = (share: number) => archive.startedAt + share * spanMs
const EXPORTED = ['traces', 'steps'] as const
type Exported = (typeof EXPORTED)[number]
const rawRates = await measureRawRates()
const service = await startService({ dataDir: archive.directory, key: archive.key })
const headers = { 'x-api-key': service.key }
const random = seededRandom(TRACES)
const iso = (share: number) => new Date(timeAt(share)).toISOString()
const between = (from: number, to: number) => `start_time=${iso(from)}&end_time=${iso(to)}`
/** A day that no request has read yet. */
const someDay = () => {
  const from = random() * (29 / 30)
  return between(from, from + 1 / 30)
}
const report = new Report(`Steps, series and exports: a million traces, ten million steps; ${ROUNDS} requests of each`)

const LISTS: readonly (readonly [name: string, query: (round: number) => string])[] = [
  ['step name', () => 'step_name=use+tool'],
  ['step type', () => 'step_type=retrieval'],
  ['model, 1 of 8', () => 'step_model=qwen-72b'],
  ['failed, 1 of 300', () => 'step_status=error'],
  ['tokens, 1 of 20', () => 'min_step_tokens=2500'],
  ['tokens, none', () => 'min_step_tokens=1000000'],
  ['name and failed', () => 'step_name=use+tool&step_status=error'],
  ['not a name', () => 'not_step_name=call+model'],
  ['user of the trace', () => `user_id=user-${Math.floor(5000 * random() ** 2)}`],
  ['metadata of the trace, 1 of 10', () => 'meta_key=env&meta_value=dev'],
  ['metadata of one trace', () => `meta_key=request_id&meta_value=req-${Math.floor(random() * TRACES)}`],
  ['failed traces', () => 'status=error&step_status=error'],
]

await measure('newest page of steps', LIMITS.newest, ROUNDS, () => '/v1/steps')
for (const [name, query] of LISTS) {
  await measure(`steps, ${name}`, LIMITS.list, ROUNDS, (round) => `/v1/steps?${query(round)}`)
}
const NONE = (round: number) => `/v1/steps?tool=search&argument.city=nowhere-${round}`
await measure('steps by an argument of none', LIMITS.argument, ROUNDS, NONE)

const SERIES = [
  ['count', 'measure=count'],
  ['error rate', 'measure=error_rate'],
  ['p95 of tokens', 'measure=total_tokens&stat=p95'],
] as const
for (const [name, query] of SERIES) {
  const path = `/v1/steps/series?${query}&group_by=step_name`
  const [hours, days] = [bucketOf(1 / 30, 24), bucketOf(1, 30)]
  const day = () => `${path}&bucket=${hours}&${someDay()}`
  await measure(`series of a day, ${name} by name`, LIMITS.day, SERIES_ROUNDS, day)
  const month = () => `${path}&bucket=${days}&${between(0, 1)}`
  await measure(`series of 30 days, ${name} by name`, LIMITS.month, SERIES_ROUNDS, month)
}

for (const what of EXPORTED) await measureExport(what)
await service.stop()
report.end()

/** A bucket that divides this share of the archive into about so many. */
function bucketOf(share: number, count: number): string {
  return `${Math.max(1, Math.round((share * spanMs) / count / 1000))}s`
}

/** Requests one after the other; the first, which warms up, is left out. */
async function measure(name: string, limitMs: number, rounds: number, path: (round: number) => string): Promise<void> {
  const wallMs: number[] = []
  let cpuBefore = 0
  for (let round = -1; round < rounds; round++) {
    if (round === 0) cpuBefore = cpuSeconds(service.pid) ?? NaN
    const began = performance.now()
    const url = `${service.origin}${path(round)}`
    const response = await fetch(url, { headers })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body.slice(0, 300)}`)
    if (round >= 0) wallMs.push(performance.now() - began)
  }
  const cpuMs = (((cpuSeconds(service.pid) ?? NaN) - cpuBefore) * 1000) / rounds
  const remark = `median ${amount(median(wallMs))}, processor ${amount(cpuMs)}`
  report.atMost(`${name}: p95`, percentile(wallMs, 0.95), limitMs, 'ms', remark)
}

/** The share of the archive that has so many rows. */
function exportedShare(what: Exported): number {
  return EXPORTED_ROWS / (TRACES * (what === 'steps' ? STEPS_PER_TRACE : 1))
}

/** Rows a second that the engine alone writes as Parquet, with the columns that an export reads. */
async function measureRawRates(): Promise<Readonly<Record<Exported, number>>> {
  const engine = openChdbEngine({ directory: join(archive.directory, 'telemetry'), memoryBytes: 2 ** 30, readers: 1 })
  const rate = async (what: Exported, columns: string, time: string) => {
    const [from, to] = [0.3, 0.3 + exportedShare(what)].map((share) => instant(timeAt(share)))
    const began = performance.now()
    await engine.command(
      `SELECT ${columns} FROM ${what} FINAL WHERE ${time} >= ${from} AND ${time} < ${to} ` +
        `INTO OUTFILE '/dev/null' TRUNCATE FORMAT Parquet SETTINGS max_threads = 1, ${FINAL_SETTINGS}`,
    )
    return (EXPORTED_ROWS / (performance.now() - began)) * 1000
  }
  try {
    return {
      traces: await rate('traces', TRACE_COLUMNS, 'created_at'),
      steps: await rate('steps', `trace_id, tools, ${STEP_COLUMNS}`, 'trace_created_at'),
    }
  } finally {
    await engine.close()
  }
}

async function measureExport(what: Exported): Promise<void> {
  const memoryBefore = service.rssMb()
  let greatestMb = memoryBefore
  const sampling = setInterval(() => (greatestMb = Math.max(greatestMb, rssMb(service.pid) ?? 0)), 100)
  const cpuBefore = cpuSeconds(service.pid) ?? NaN
  const began = performance.now()
  const rows = await new Promise<number>((resolve, reject) => {
    const url = `${service.origin}/v1/export?what=${what}&format=parquet&${between(0.3, 0.3 + exportedShare(what))}`
    request(url, { headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`))
      response.on('error', reject).on('end', () => resolve(Number(response.trailers['x-export-rows'])))
      response.resume()
    })
      .on('error', reject)
      .end()
  })
  const seconds = (performance.now() - began) / 1000
  clearInterval(sampling)
  const cpuUs = (((cpuSeconds(service.pid) ?? NaN) - cpuBefore) * 1e6) / rows
  const remark = `${amount(rows)} rows; processor ${amount(cpuUs)} µs a row; the engine alone ${amount(rawRates[what])} a second`
  report.atLeast(`${what} as Parquet, rows a second`, rows / seconds, LIMITS.rows, '', remark)
  report.atMost(`${what} as Parquet, more memory`, greatestMb - memoryBefore, LIMITS.memory, 'MB')
}
