/**
 * In a store of a million traces: reads of a small project beside them, in turns with the same project alone, and reads
 * of the large one right after a load of 700 traces a second, beside what they take when its merges have ended.
 *
 *     node bench/growth-beside.bench.ts [--quick] [--store DIRECTORY]
 *
 * The archive is that of growth.bench.ts; a copy of it is used.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openArchive } from './lib/archives/archive.ts'
import { DENSE_MS } from './lib/archives/archive-sql.ts'
import { cpuSeconds, threadSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { word } from './lib/vocabulary.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const { quick, store } = readOptions()
const ROUNDS = quick ? 2 : 8
const REQUESTS_A_ROUND = 4
const SMALL_TRACES = 1000
const LOAD = { ratePerSecond: 700, connections: 16, durationMs: quick ? 10_000 : 60_000 }
const MOST_OVER_ALONE = 1.5
const MOST_OVER_SETTLED = 1.5
/** The engine's name of its threads for merges. */
const MERGING = 'MergeMutate'
/** Less than a merge takes. */
const SOME_MERGING_SECONDS = 0.1

const READS: Readonly<Record<string, (at: number) => string>> = {
  'newest page': () => '/v1/traces',
  'failed traces': () => '/v1/traces?status=error',
  'common word': (at) => `/v1/traces?q=${word(3 + (at % 20))}`,
  sessions: () => '/v1/sessions',
  users: () => '/v1/users',
  'series by model': () => '/v1/traces/series?bucket=5m&measure=count&group_by=model',
  'facet of models': () => '/v1/traces/facets?field=model',
}

const report = new Report('Beside a million traces, and after a load')
const archive = await openArchive(store, quick ? 100_000 : 1_000_000, DENSE_MS)
await inTemporaryFolder(async (folder) => {
  cpSync(archive.directory, join(folder, 'large'), { recursive: true })
  const large = await startService({ dataDir: join(folder, 'large'), key: archive.key })
  const alone = await startService({ dataDir: join(folder, 'alone') })
  const load = await startWorker<LoadJob, LoadResult>('load-process')

  const [beside, byItself] = [await smallProject(large), await smallProject(alone)]
  for (const [port, key] of [[large.port, beside] as const, [alone.port, byItself] as const])
    await load.run({ port, connections: 4, requests: traceRequests(key), total: SMALL_TRACES })
  await settled()
  for (const [name, path] of Object.entries(READS)) {
    const [inLarge, inOwn] = await inTurns([() => measure(large, beside, path), () => measure(alone, byItself, path)])
    report.atMost(`small project: ${name}`, inLarge!.cpuMs / inOwn!.cpuMs, MOST_OVER_ALONE, '×', said(inLarge!, inOwn!))
  }

  for (const path of Object.values(READS)) await measure(large, large.key, path)
  await load.run({ port: large.port, requests: traceRequests(large.key), ...LOAD })
  const justAfter = new Map<string, Figures>()
  for (const [name, path] of Object.entries(READS)) justAfter.set(name, await measure(large, large.key, path))
  await merged(large)
  for (const [name, path] of Object.entries(READS)) {
    const [loaded, calm] = [justAfter.get(name)!, (await inTurns([() => measure(large, large.key, path)]))[0]!]
    report.atMost(`after the load: ${name}`, loaded.wallMs / calm.wallMs, MOST_OVER_SETTLED, '×', said(loaded, calm))
    report.atMost(`${name}: processor`, loaded.cpuMs / calm.cpuMs, MOST_OVER_SETTLED, '×')
  }
  await load.stop()
  await Promise.all([large.stop(), alone.stop()])
})
report.end()

interface Figures {
  /** Without that of merges, which follow a load whether or not anybody reads. */
  readonly cpuMs: number
  /** Median. */
  readonly wallMs: number
}

function said(one: Figures, other: Figures): string {
  const text = ({ cpuMs, wallMs }: Figures) => `${amount(cpuMs)} ms of processor, ${amount(wallMs)} ms`
  return `${text(one)}; beside it ${text(other)}`
}

/** Returns a key of a new project. */
async function smallProject({ origin, key }: ServiceUnderTest): Promise<string> {
  const post = async <T>(path: string, body: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const { id } = await post<{ id: string }>('/v1/projects', { name: 'small' })
  const made = await post<{ secret: string }>(`/v1/projects/${id}/keys`, { name: 'all', scopes: ['read', 'ingest'] })
  return made.secret
}

/** The first turn warms up. */
async function inTurns(measures: readonly (() => Promise<Figures>)[]): Promise<readonly Figures[]> {
  const found = measures.map(() => [] as Figures[])
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at, one] of measures.entries()) {
      const figures = await one()
      if (round >= 0) found[at]!.push(figures)
    }
  }
  const middle = (values: readonly number[]) => percentile(values, 0.5)
  return found.map((each) => ({
    cpuMs: middle(each.map(({ cpuMs }) => cpuMs)),
    wallMs: middle(each.map(({ wallMs }) => wallMs)),
  }))
}

async function measure(service: ServiceUnderTest, key: string, path: (at: number) => string): Promise<Figures> {
  const { pid } = service
  const [before, merges] = [cpuSeconds(pid) ?? NaN, threadSeconds(pid, MERGING)]
  const wallMs: number[] = []
  for (let at = 0; at < REQUESTS_A_ROUND; at++) {
    const began = performance.now()
    const response = await fetch(service.origin + path(at), { headers: { 'x-api-key': key } })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path(at)}: ${response.status} ${body.slice(0, 300)}`)
    wallMs.push(performance.now() - began)
  }
  const merging = [...threadSeconds(pid, MERGING)].reduce((sum, [id, at]) => sum + at - (merges.get(id) ?? 0), 0)
  const cpuMs = (((cpuSeconds(pid) ?? NaN) - before - merging) * 1000) / REQUESTS_A_ROUND
  return { cpuMs, wallMs: percentile(wallMs, 0.5) }
}

/** Until merges have not run for a while. */
async function merged({ pid }: ServiceUnderTest): Promise<void> {
  const total = () => [...threadSeconds(pid, MERGING).values()].reduce((sum, seconds) => sum + seconds, 0)
  for (let before = -Infinity; total() > before + SOME_MERGING_SECONDS; await settled()) before = total()
}

/** Until what was sent is in the engine and its merges are small. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 15_000))
}
