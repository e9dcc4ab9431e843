/**
 * The effect of a discovery of clusters on a running service: how late it answers /healthz, and the ingest rate.
 *
 *     node bench/discovery.bench.ts [--quick]
 *
 * Traces have 10 steps and about 10 KB. The discovery beside a round of ingest reads the traces of that round as new
 * ones.
 */
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { Probes } from './lib/probes.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const HEALTH_P99_ALLOWED_MS = 50
const INGEST_KEPT_NEEDED = 0.7
const CONNECTIONS = 16

const { quick } = readOptions()
const TRACES = quick ? 5000 : 30_000
const ROUNDS = quick ? 3 : 5
const ROUND_MS = quick ? 4000 : 10_000
const ASK_EVERY_MS = 100
const SMALL_TRACES = 200
/** As in decision 0115. */
const SMALL_ALLOWED_S = 10

interface World {
  readonly service: ServiceUnderTest
  readonly requests: readonly Buffer[]
  readonly load: WorkerProcess<LoadJob, LoadResult>
}

interface Job {
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed'
  readonly error: string | null
  readonly result: { readonly traces: number; readonly clusters: number } | null
}

const report = new Report(`Beside a discovery: medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const world = {
    service,
    requests: traceRequests(service.key),
    load: await startWorker<LoadJob, LoadResult>('load-process'),
  }
  await world.load.run({ port: service.port, connections: 64, requests: world.requests, total: TRACES })
  await measureAlone(world)
  await measureSmallBesideLarge(world)
  await measureBesideIngest(world)
  report.figure('memory of the service', amount(service.rssMb(), 'MB'))
  await Promise.all([service.stop(), world.load.stop()])
})
report.end()

async function measureAlone({ service }: World): Promise<void> {
  for (const name of ['first discovery, which reads all steps', 'second discovery, of the same traces']) {
    const began = performance.now()
    const { done, p99, longest } = await whileProbed(service, () => discover(service))
    const { result } = done
    const seconds = (performance.now() - began) / 1000
    report.figure(name, `${amount(seconds, 's')} (${result?.traces} traces, ${result?.clusters} clusters)`)
    report.atMost('… /healthz, p99', p99, HEALTH_P99_ALLOWED_MS, 'ms', `longest ${amount(longest)} ms`)
  }
}

/** A small project beside the large one: its discoveries wait neither for the other's clusters nor for its patterns. */
async function measureSmallBesideLarge({ service, load }: World): Promise<void> {
  const { id } = await ask<{ id: string }>(service, 'POST', '/v1/projects', '{"name":"small"}')
  const owned = JSON.stringify({ name: 'small', scopes: ['ingest', 'read', 'manage'] })
  const { secret: key } = await ask<{ secret: string }>(service, 'POST', `/v1/projects/${id}/keys`, owned)
  await load.run({ port: service.port, connections: 16, requests: traceRequests(key), total: SMALL_TRACES })
  const small = { ...service, key }
  const timed = async () => {
    const began = performance.now()
    await discover(small)
    return (performance.now() - began) / 1000
  }
  await timed()
  const alone = await timed()
  const state = { isOver: false }
  const large = discover(service).finally(() => (state.isOver = true))
  const beside: number[] = []
  while (!state.isOver) beside.push(await timed())
  await large
  report.atMost(
    'small discovery beside a large one',
    Math.max(...beside),
    SMALL_ALLOWED_S,
    's',
    `alone ${amount(alone)}`,
  )
}

async function measureBesideIngest(world: World): Promise<void> {
  const { service } = world
  const kept: number[] = []
  const rates: string[] = []
  const times: number[] = []
  const timesAlone: number[] = []
  let discoveries = 0
  await ingest(world)
  for (let round = 0; round < ROUNDS; round++) {
    const { done: alone, p99: p99Alone } = await whileProbed(service, () => ingest(world))
    timesAlone.push(p99Alone)
    const { done, p99 } = await whileProbed(service, async () => {
      const ingesting = { isOver: false }
      const beside = ingest(world).finally(() => (ingesting.isOver = true))
      while (!ingesting.isOver) {
        await discover(service, () => ingesting.isOver)
        discoveries++
      }
      return await beside
    })
    const { perSecond } = done
    times.push(p99)
    kept.push(perSecond / alone.perSecond)
    rates.push(`${amount(perSecond)} of ${amount(alone.perSecond)}`)
    // Requests still in progress belong to no round.
    await discover(service)
  }
  report.atLeast(
    'ingest beside discoveries, share of ingest alone',
    median(kept),
    INGEST_KEPT_NEEDED,
    '',
    rates.join(', '),
  )
  report.atMost(
    '… /healthz, p99',
    median(times),
    HEALTH_P99_ALLOWED_MS,
    'ms',
    `${times.map((ms) => amount(ms)).join(' ')}; ingest alone ${timesAlone.map((ms) => amount(ms)).join(' ')}`,
  )
  report.figure('discoveries begun beside ingest', String(discoveries))
}

function ingest({ service, requests, load }: World): Promise<LoadResult> {
  return load.run({ port: service.port, connections: CONNECTIONS, requests, durationMs: ROUND_MS })
}

/** Resolves when the discovery has succeeded; rejects with its state when it takes too long. */
async function discover(service: ServiceUnderTest, isOver: () => boolean = () => false): Promise<Job> {
  const { job_id: id } = await ask<{ job_id: string }>(service, 'POST', '/v1/clusters/discover', '{}')
  for (;;) {
    const job = await ask<Job>(service, 'GET', `/v1/clusters/discover/${id}`)
    if (job.status === 'failed') throw new Error(`the discovery failed: ${job.error}`)
    if (job.status === 'succeeded' || isOver()) return job
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}

async function ask<T>({ port, key }: ServiceUnderTest, method: string, path: string, body?: string): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

async function whileProbed<T>(service: ServiceUnderTest, work: () => Promise<T>) {
  const probes = new Probes(service)
  probes.start()
  try {
    const done = await work()
    const times = probes.timesMs.get('/healthz') ?? []
    return { done, p99: percentile(times, 0.99), longest: Math.max(...times) }
  } finally {
    await probes.stop()
  }
}
