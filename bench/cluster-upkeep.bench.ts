/**
 * What clusters cost the traces that arrive after a discovery: three services under the same load, one without
 * clusters, one whose clusters nobody reads, and one whose clusters are read every 10 s. Processor time until all is
 * settled and assigned, bytes in clusters.db, memory.
 *
 *     node bench/cluster-upkeep.bench.ts [--quick]
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const UNREAD_ALLOWED_MS = 0.15
const BYTES_ALLOWED = 200
const MEMORY_ALLOWED_MB = 60

const { quick } = readOptions()
const FIRST = 2000
const ROUNDS = quick ? 1 : 3
const TRACES = quick ? 2000 : 5000
const PER_SECOND = 80
const READ_EVERY_MS = 10_000
/** The thread of the discovery ends when it has been idle for 90 s. */
const THREAD_ENDS_MS = 100_000
/** Traces are assigned when they are 20 s old, and merges end later. */
const QUIET_MS = 60_000

interface Side {
  readonly name: string
  readonly dataDir: string
  readonly service: ServiceUnderTest
}

interface Spent {
  readonly cpuMs: number
  readonly bytes: number
  readonly memoryMb: number
}

const report = new Report(`Traces after a discovery: medians of ${ROUNDS} rounds of ${amount(TRACES)} traces`)
await inTemporaryFolder(async (folder) => {
  const sides: Side[] = []
  for (const name of ['none', 'unread', 'read']) {
    const dataDir = join(folder, name)
    sides.push({ name, dataDir, service: await startService({ dataDir }) })
  }
  await Promise.all(sides.map((side) => load(side, FIRST)))
  for (const { name, service } of sides) if (name !== 'none') await discover(service)
  await new Promise((resolve) => setTimeout(resolve, THREAD_ENDS_MS))
  const reading = setInterval(() => void read(sides[2]!.service), READ_EVERY_MS)
  const rounds: Spent[][] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await Promise.all(sides.map(spend)))
  clearInterval(reading)
  const middle = (of: (spent: readonly Spent[]) => number) => median(rounds.map(of))
  report.figure(
    'processor without clusters',
    amount(
      middle(([none]) => none!.cpuMs),
      'ms a trace',
    ),
  )
  for (const [index, name] of ['nobody reads', 'read every 10 s'].entries()) {
    const side = index + 1
    const [cpuMs, bytes, memoryMb] = (['cpuMs', 'bytes', 'memoryMb'] as const).map((of) =>
      middle((spent) => spent[side]![of] - spent[0]![of]),
    ) as [number, number, number]
    if (side === 1) report.atMost(`clusters that ${name}: processor of a trace`, cpuMs, UNREAD_ALLOWED_MS, 'ms')
    else report.figure(`clusters ${name}: processor of a trace`, amount(cpuMs, 'ms'))
    report.atMost('… bytes of a trace in clusters.db', bytes, BYTES_ALLOWED, 'B')
    report.atMost('… memory', memoryMb, MEMORY_ALLOWED_MB, 'MB')
  }
  const sizes = await read(sides[2]!.service)
  report.figure('assigned in the end', `${amount(sizes)} of ${amount(FIRST + ROUNDS * TRACES)}`)
  await Promise.all(sides.map(({ service }) => service.stop()))
})
report.end()

async function spend(side: Side): Promise<Spent> {
  const before = { cpu: cpuSeconds(side.service.pid) ?? NaN, bytes: sizeOf(side) }
  await load(side, TRACES)
  const memoryMb = side.service.rssMb()
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  const cpuMs = (1000 * ((cpuSeconds(side.service.pid) ?? NaN) - before.cpu)) / TRACES
  return { cpuMs, bytes: (sizeOf(side) - before.bytes) / TRACES, memoryMb }
}

/** Used bytes of clusters.db, also those that are only in its log yet. */
function sizeOf({ dataDir }: Side): number {
  const database = new DatabaseSync(join(dataDir, 'clusters.db'), { readOnly: true })
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0])
  const bytes = pragma('page_size') * (pragma('page_count') - pragma('freelist_count'))
  database.close()
  return bytes
}

async function load({ service: { port, key } }: Side, total: number): Promise<void> {
  const worker = await startWorker<LoadJob, LoadResult>('load-process')
  await worker.run({ port, connections: 8, requests: traceRequests(key), total, ratePerSecond: PER_SECOND })
  await worker.stop()
}

async function discover(service: ServiceUnderTest): Promise<void> {
  const { job_id: id } = (await ask(service, '/v1/clusters/discover', 'POST')) as { readonly job_id: string }
  for (;;) {
    const { status } = (await ask(service, `/v1/clusters/discover/${id}`)) as { readonly status: string }
    if (status === 'succeeded') return
    if (status === 'failed') throw new Error('the discovery failed')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The number of traces in clusters. */
async function read(service: ServiceUnderTest): Promise<number> {
  const { clusters } = (await ask(service, '/v1/clusters')) as {
    readonly clusters: readonly { readonly size: number }[]
  }
  return clusters.reduce((sum, { size }) => sum + size, 0)
}

async function ask({ origin, key }: ServiceUnderTest, path: string, method = 'GET'): Promise<unknown> {
  const body = method === 'POST' ? { body: '{}' } : {}
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(`${origin}${path}`, { method, headers, ...body })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
  return response.json()
}
