/**
 * Ingest of traces with 10 steps and about 10 KB, compared with the engine alone on the same machine in the same
 * minutes.
 *
 *     node bench/ingest.bench.ts [--quick]
 */
import { join } from 'node:path'
import { cpuSeconds } from './lib/machine-load.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import type { RawStoreJob, RawStoreResult } from './lib/workers/raw-store-process.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { traceBodies, traceRequests } from './lib/trace-bodies.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const SHARE_OF_RAW_NEEDED = 0.6
const AT_16_NEEDED = 1000
const SINGLE_OVER_RAW_ALLOWED = 3
const MEMORY_ALLOWED_MB = 700
/** Pause between two requests of an idle service, so that the earlier one has no effect any more. */
const IDLE_MS = 20

const { quick } = readOptions()
const ROUNDS = quick ? 3 : 7
const ROUND_MS = quick ? 2500 : 6000
const SETTLE_MS = 500

interface World {
  readonly service: ServiceUnderTest
  readonly requests: readonly Buffer[]
  readonly load: WorkerProcess<LoadJob, LoadResult>
  readonly raw: WorkerProcess<RawStoreJob, RawStoreResult>
  readonly rawDirectory: string
  readonly echo: WorkerProcess<'port', number>
}

interface Round {
  readonly service: LoadResult
  readonly tracesPerCommit: number
  readonly serviceCpuPerTrace: number
  readonly raw: RawStoreResult
  readonly echo: LoadResult
}

const report = new Report(`Ingest: traces of 10 steps, medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const service = await startService({ dataDir: join(folder, 'service') })
  const world: World = {
    service,
    requests: traceRequests(service.key),
    load: await startWorker('load-process'),
    raw: await startWorker('raw-store-process'),
    rawDirectory: join(folder, 'raw'),
    echo: await startWorker('echo-process'),
  }
  report.figure('bytes of a trace body', amount(traceBodies(256).reduce((sum, body) => sum + body.length, 0) / 256))
  await measureRound(world, 64, 1000)
  for (const connections of [64, 16]) await measureSaturated(world, connections)
  await measureIdle(world)
  report.atMost('memory of the service at the end', service.rssMb(), MEMORY_ALLOWED_MB, 'MB')
  await Promise.all([service.stop(), world.load.stop(), world.raw.stop(), world.echo.stop()])
})
report.end()

async function measureSaturated(world: World, connections: number): Promise<void> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(world, connections, ROUND_MS))
  const of = (read: (round: Round) => number) => median(rounds.map(read))
  const name = `${connections} connections`
  const rate = of((round) => round.service.perSecond)
  const spread = rounds.map((round) => amount(round.service.perSecond)).join(' ')
  if (connections === 16) report.atLeast(`${name}: traces`, rate, AT_16_NEEDED, '/s', spread)
  else report.figure(`${name}: traces`, `${amount(rate, '/s')} (${spread})`)
  const remark = `engine alone ${amount(of((round) => round.raw.tracesPerSecond))}/s, ${amount(of((round) => round.tracesPerCommit))} a commit`
  const share = of((round) => round.service.perSecond / round.raw.tracesPerSecond)
  if (connections === 64) report.atLeast(`${name}: share of the engine alone`, share, SHARE_OF_RAW_NEEDED, '', remark)
  else report.figure(`${name}: share of the engine alone`, `${amount(share)} (${remark})`)
  report.figure(
    `${name}: answer p50, p95`,
    `${amount(of((r) => r.service.p50))}, ${amount(of((r) => r.service.p95))} ms`,
  )
  report.figure(
    `${name}: bare HTTP server`,
    amount(
      of((round) => round.echo.perSecond),
      '/s',
    ),
  )
  const cpu = [
    `service ${amount(1e6 * of((round) => round.serviceCpuPerTrace))}`,
    `engine alone ${amount(1e6 * of((round) => round.raw.cpuSecondsPerTrace))}`,
    `generator ${amount(1e6 * of((round) => round.service.cpuSeconds / round.service.completed))}`,
  ]
  report.figure(`${name}: CPU µs for a trace`, cpu.join(', '))
  const refused = rounds.find((round) => round.service.failed > 0)?.service
  if (refused !== undefined) report.figure(`${name}: REFUSED`, `${refused.failed}: ${refused.firstFailure}`)
}

/** Service, engine and bare server in turns, so that changes of the machine affect all three. */
async function measureRound(world: World, connections: number, durationMs: number): Promise<Round> {
  const { service: target, load, requests } = world
  const before = await commits(target)
  const service = await load.run({ port: target.port, connections, requests, durationMs })
  const after = await commits(target)
  await settle()
  const tracesPerCommit = (after.traces - before.traces) / (after.count - before.count)
  const tracesPerInsert = Math.max(1, Math.round(tracesPerCommit))
  const raw = await world.raw.run({ store: world.rawDirectory, tracesPerInsert, durationMs })
  await settle()
  const echo = await load.run({ port: await world.echo.run('port'), connections, requests, durationMs: durationMs / 4 })
  const serviceCpuPerTrace = (after.cpuSeconds - before.cpuSeconds) / service.completed
  return { service, tracesPerCommit, serviceCpuPerTrace, raw, echo }
}

/** One request at a time on an idle service, compared with one durable insert of the same trace into both tables. */
async function measureIdle({ service, load, raw, rawDirectory, requests }: World): Promise<void> {
  const single: { service: LoadResult; raw: RawStoreResult }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const durationMs = ROUND_MS / 2
    const job = { port: service.port, connections: 1, requests, durationMs, thinkMs: IDLE_MS }
    const answered = await load.run(job)
    const inserted = await raw.run({ store: rawDirectory, tracesPerInsert: 1, durationMs, thinkMs: IDLE_MS })
    single.push({ service: answered, raw: inserted })
  }
  const served = median(single.map((round) => round.service.p50))
  const inserted = median(single.map((round) => round.raw.insertP50Ms))
  const ratio = median(single.map((round) => round.service.p50 / round.raw.insertP50Ms))
  const remark = `${amount(served)} ms, one insert ${amount(inserted)} ms`
  report.atMost('idle, 1 connection: p50 over one insert', ratio, SINGLE_OVER_RAW_ALLOWED, 'times', remark)
  const busy = await load.run({ port: service.port, connections: 1, requests, durationMs: ROUND_MS })
  report.figure('1 connection without pauses', amount(busy.perSecond, '/s'))
}

async function commits(service: ServiceUnderTest): Promise<{ count: number; traces: number; cpuSeconds: number }> {
  const metrics = await service.metrics()
  return {
    count: metrics.get('spoor_commit_traces_count') ?? 0,
    traces: metrics.get('spoor_commit_traces_sum') ?? 0,
    cpuSeconds: cpuSeconds(service.pid) ?? NaN,
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}
