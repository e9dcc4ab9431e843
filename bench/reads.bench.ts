/**
 * Reads over HTTP at 10 thousand and 1 million traces of 10 steps: their cost must depend on the result, not on the
 * size of the archive.
 *
 *     node bench/reads.bench.ts [--quick] [--store DIRECTORY]
 *
 * The archives are built once under DIRECTORY (archive-process.ts): 8 GB, about five minutes and 3 GB of memory.
 */
import { type Archive, openArchive } from './lib/archives/archive.ts'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { FILTERED, type ReadCase, readCases } from './lib/archives/read-cases.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const READ_ALLOWED_MS = 30
const OVER_SMALL_ALLOWED = 1.5
const TEXT_ALLOWED_MS = 150
const READY_ALLOWED_MS = 2000
const MEMORY_ALLOWED_MB = 700

const { quick, store } = readOptions()
const ROUNDS = quick ? 5 : 20
const REQUESTS_A_ROUND = 10
const STARTS = quick ? 2 : 5

interface Side {
  readonly archive: Archive
  readonly service: ServiceUnderTest
}

const small = await openArchive(store, 10_000)
const large = await openArchive(store, 1_000_000)
const report = new Report(
  `Reads: 10 thousand and 1 million traces, ${ROUNDS * REQUESTS_A_ROUND} requests of each kind on each`,
)
const sides: readonly Side[] = [
  { archive: small, service: await startService({ dataDir: small.directory, key: small.key }) },
  { archive: large, service: await startRepeatedly(large) },
]
const load = await startWorker<LoadJob, LoadResult>('load-process')
/** p95 of a filtered page at the large archive, milliseconds. */
let filteredMs = 0
const cases = await Promise.all(sides.map(({ service, archive }) => readCases(service, archive)))
for (const [index, read] of cases[1]!.entries()) {
  await measure(load, read, [cases[0]![index]!, read])
}
for (const { service, archive } of sides) {
  const name = `memory after ${amount(archive.traces)} traces were read`
  report.atMost(name, service.rssMb(), MEMORY_ALLOWED_MB, 'MB')
}
await Promise.all([load.stop(), ...sides.map(({ service }) => service.stop())])
report.end()

/** Keeps the last one running. */
async function startRepeatedly(archive: Archive & { readonly directory: string }): Promise<ServiceUnderTest> {
  const startsMs: number[] = []
  for (;;) {
    const service = await startService({ dataDir: archive.directory, key: archive.key })
    startsMs.push(service.startMs)
    if (startsMs.length === STARTS) {
      report.atMost(`start to ready at ${amount(archive.traces)} traces`, median(startsMs), READY_ALLOWED_MS, 'ms')
      report.figure('memory when ready', amount(service.rssMb(), 'MB'))
      return service
    }
    await service.stop()
  }
}

/**
 * Alternates between small and large after a few requests, so that changes of the machine affect both. The first turn
 * warms up.
 */
async function measure(
  worker: WorkerProcess<LoadJob, LoadResult>,
  { name, isFullText, timesFiltered }: ReadCase,
  ofSides: readonly ReadCase[],
): Promise<void> {
  const latenciesMs: number[][] = sides.map(() => [])
  for (let round = -1; round < ROUNDS; round++) {
    for (const [side, { service }] of sides.entries()) {
      const paths = ofSides[side]!.paths
      const turn = Array.from(
        { length: REQUESTS_A_ROUND },
        (_, at) => paths[((round + 1) * REQUESTS_A_ROUND + at) % paths.length]!,
      )
      const requests = turn.map((path) => httpRequest('GET', path, service.key))
      const result = await worker.run({ port: service.port, connections: 1, requests, total: requests.length })
      if (result.failed > 0) throw new Error(`${name}: ${result.firstFailure}`)
      if (round >= 0) latenciesMs[side]!.push(...result.latenciesMs)
    }
  }
  const [atSmall, atLarge] = latenciesMs.map((values) => ({
    p50: percentile(values, 0.5),
    p95: percentile(values, 0.95),
  }))
  if (name === FILTERED) filteredMs = atLarge!.p95
  if (timesFiltered !== undefined) {
    const times = atLarge!.p95 / filteredMs
    report.atMost(`${name}: p95 over that of a filtered page`, times, timesFiltered, '×', `p95 ${amount(atLarge!.p95)}`)
    return
  }
  const limit = isFullText ? TEXT_ALLOWED_MS : Math.max(READ_ALLOWED_MS, OVER_SMALL_ALLOWED * atSmall!.p95)
  const remark = `p50 ${amount(atLarge!.p50)}; at 10k p50 ${amount(atSmall!.p50)}, p95 ${amount(atSmall!.p95)}`
  report.atMost(`${name}: p95`, atLarge!.p95, limit, 'ms', remark)
}
