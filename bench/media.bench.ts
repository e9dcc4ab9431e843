/**
 * Media: one large file up and down compared with a bare Node server, the memory of many concurrent transfers, and
 * small files.
 *
 *     node bench/media.bench.ts [--quick] [--s3]
 *
 * With `--s3` the bytes are in a bucket of the S3 service that the tests use, on the same machine; its speed figures
 * have no limit.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bucketEnvironment, startS3Server } from '../e2e/lib/media/s3-server.ts'
import type { BareFilesJob } from './lib/workers/bare-files-process.ts'
import { getTransfer, type MediaPlace, putTransfer, serveTransfer, uploadTransfer } from './lib/media-requests.ts'
import { MemorySamples } from './lib/memory-samples.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import type { SmallUploadsJob, SmallUploadsResult } from './lib/workers/small-uploads-process.ts'
import type { Transfer, TransferJob, TransferResult } from './lib/workers/transfer-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const SHARE_OF_BARE_NEEDED = 0.7
const GROWTH_ALLOWED_MB = 64
const UPLOADS_PER_SECOND_NEEDED = 300
const MIB = 1024 * 1024
const AT_ONCE = 20
const CONNECTIONS = 16
const SMALL_BYTES = 64 * 1024

const { quick, s3 } = readOptions()
const LARGE_BYTES = (quick ? 256 : 1024) * MIB
const ROUNDS = quick ? 3 : 5
const EACH_BYTES = (quick ? 50 : 200) * 1e6
const MEMORY_ROUNDS = quick ? 1 : 3
const SMALL_FILES = quick ? 1500 : 6000

const report = new Report(
  `Media${s3 ? ' in a bucket' : ''}: ${LARGE_BYTES / MIB} MiB in ${ROUNDS} rounds, ${AT_ONCE} files of ${EACH_BYTES / 1e6} MB at once, ${SMALL_FILES} small ones`,
)
const bucket = s3 ? await openBucket() : null
const client = await startWorker<TransferJob, TransferResult>('transfer-process')
try {
  await inTemporaryFolder(measureLarge)
  for (const direction of ['uploads', 'downloads'] as const) {
    await inTemporaryFolder((folder) => measureMemory(folder, direction))
  }
  await inTemporaryFolder(measureSmall)
} finally {
  await client.stop()
  await bucket?.stop()
}
report.end()

async function measureLarge(folder: string): Promise<void> {
  const service = await start(folder)
  const bareFolder = join(folder, 'bare')
  mkdirSync(bareFolder)
  const bare = await startWorker<BareFilesJob, number>('bare-files-process')
  const barePort = await bare.run({ folder: bareFolder })
  const [place] = await newPlaces(service, 1)
  const shares: Record<'upload' | 'serve', number[]> = { upload: [], serve: [] }
  const speeds: Record<'upload' | 'serve', string[]> = { upload: [], serve: [] }
  const note = (what: 'upload' | 'serve', ours: number, theirs: number) => {
    shares[what].push(theirs / ours)
    speeds[what].push(`${amount(LARGE_BYTES / 1e6 / ours)} of ${amount(LARGE_BYTES / 1e6 / theirs)}`)
  }
  const cpu: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const up = async () => {
      const { seconds, answers, cpuSeconds } = await move(
        service.port,
        [uploadTransfer(service.key, place!, LARGE_BYTES)],
        201,
      )
      cpu.push(cpuSeconds)
      return { seconds, uri: uriOf(answers[0]!.text) }
    }
    // A new file each round, because the service stores one too: overwriting the last file would find its blocks
    // already allocated.
    const bareName = `large-${round}`
    const bareUp = async () => (await move(barePort, [putTransfer(bareName, LARGE_BYTES)], 201)).seconds
    // The second writer may find the disk still busy with the first.
    const [uploaded, bareUploaded] = round % 2 === 0 ? [await up(), await bareUp()] : swap([await bareUp(), await up()])
    note('upload', uploaded.seconds, bareUploaded)
    const down = await move(service.port, [serveTransfer(service.key, uploaded.uri)], 200, LARGE_BYTES)
    const bareDown = await move(barePort, [getTransfer(bareName)], 200, LARGE_BYTES)
    note('serve', down.seconds, bareDown.seconds)
  }
  for (const what of ['upload', 'serve'] as const) {
    const name = `${what}: share of a bare server's speed`
    const remark = `${speeds[what].join(', ')} MB/s`
    if (s3) report.figure(name, `${amount(median(shares[what]))} (${remark})`)
    else report.atLeast(name, median(shares[what]), SHARE_OF_BARE_NEEDED, '', remark)
  }
  report.figure('CPU of the generator for an upload', amount(median(cpu), 's'))
  await Promise.all([bare.stop(), service.stop()])
}

/**
 * Each round uses a new service that has transferred a few small files, so that the growth comes from the concurrent
 * transfers.
 */
async function measureMemory(folder: string, direction: 'uploads' | 'downloads'): Promise<void> {
  const growths: number[] = []
  const speeds: number[] = []
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    let service = await start(join(folder, String(round)))
    const places = await newPlaces(service, AT_ONCE)
    const uploads = (bytes: number) => places.map((place) => uploadTransfer(service.key, place, bytes))
    const warm = await move(service.port, uploads(MIB), 201)
    const serves = ({ answers }: TransferResult) => answers.map(({ text }) => serveTransfer(service.key, uriOf(text)))
    if (direction === 'downloads') {
      const large = serves(await move(service.port, uploads(EACH_BYTES), 201))
      await service.stop()
      service = await start(join(folder, String(round)), service.key)
      await move(service.port, serves(warm), 200, MIB)
      await sample(service, () => move(service.port, large, 200, EACH_BYTES))
    } else {
      await move(service.port, serves(warm), 200, MIB)
      await sample(service, () => move(service.port, uploads(EACH_BYTES), 201))
    }
    await service.stop()
  }
  const remark = growths.map((growth) => amount(growth)).join(', ')
  report.atMost(
    `${AT_ONCE} ${direction} at once: memory they add`,
    Math.max(...growths),
    GROWTH_ALLOWED_MB,
    'MB',
    remark,
  )
  report.figure(`${AT_ONCE} ${direction} at once`, `${speeds.map((speed) => amount(speed)).join(', ')} MB/s`)

  async function sample(service: ServiceUnderTest, work: () => Promise<TransferResult>): Promise<void> {
    const memory = new MemorySamples(service, 50)
    const { seconds } = await work()
    memory.stop()
    growths.push(memory.greatest - memory.first)
    speeds.push((AT_ONCE * EACH_BYTES) / 1e6 / seconds)
  }
}

async function measureSmall(folder: string): Promise<void> {
  let service = await start(folder)
  const worker = await startWorker<SmallUploadsJob, SmallUploadsResult>('small-uploads-process')
  const upload = (places: readonly MediaPlace[], total: number) =>
    worker.run({
      port: service.port,
      key: service.key,
      connections: CONNECTIONS,
      fileBytes: SMALL_BYTES,
      total,
      places,
    })
  const tell = (name: string, needed: number | null, result: SmallUploadsResult) => {
    const { perSecond, p50, p95, cpuSeconds } = result
    const remark = `p50 ${amount(p50)} ms, p95 ${amount(p95)} ms, generator ${amount(cpuSeconds, 's')} CPU`
    if (s3 || needed === null) report.figure(name, `${amount(perSecond)} /s (${remark})`)
    else report.atLeast(name, perSecond, needed, '/s', remark)
  }
  const one = await newPlaces(service, 1)
  await upload(one, SMALL_FILES / 10)
  tell('64 KB: to one step', UPLOADS_PER_SECOND_NEEDED, await upload(one, SMALL_FILES))
  tell(
    '64 KB: each to a new trace',
    UPLOADS_PER_SECOND_NEEDED,
    await upload(await newPlaces(service, SMALL_FILES), SMALL_FILES),
  )
  const places = await newPlaces(service, SMALL_FILES)
  await service.stop()
  service = await start(folder, service.key)
  // Two looks into the telemetry store each, those that come at the same time together; nobody asked for a speed.
  tell('64 KB: each to a trace of long ago', null, await upload(places, SMALL_FILES))
  await Promise.all([worker.stop(), service.stop()])
}

function start(folder: string, key?: string): Promise<ServiceUnderTest> {
  const dataDir = join(folder, 'service')
  mkdirSync(dataDir, { recursive: true })
  return startService({ dataDir, environment: bucket?.environment ?? {}, ...(key === undefined ? {} : { key }) })
}

async function move(
  port: number,
  transfers: readonly Transfer[],
  status: number,
  bytes: number | null = null,
): Promise<TransferResult> {
  const result = await client.run({ port, transfers })
  for (const answer of result.answers) {
    if (answer.status !== status || (bytes !== null && answer.bytes !== bytes)) {
      throw new Error(`answered with ${answer.status} and ${answer.bytes} bytes: ${answer.text}`)
    }
  }
  return result
}

function uriOf(text: string): string {
  return (JSON.parse(text) as { uri: string }).uri
}

/** As many traces of one step. */
async function newPlaces({ port, key }: ServiceUnderTest, count: number): Promise<MediaPlace[]> {
  const places: MediaPlace[] = []
  const make = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"name":"a run with media","steps":[{"name":"look"}]}',
    })
    const { id, step_ids } = (await response.json()) as { id: string; step_ids: [string] }
    places.push({ traceId: id, stepId: step_ids[0] })
  }
  while (places.length < count) {
    await Promise.all(Array.from({ length: Math.min(64, count - places.length) }, make))
  }
  return places
}

async function openBucket(): Promise<{
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}> {
  const server = await startS3Server()
  if (typeof server === 'string') throw new Error(server)
  await server.createBucket('media')
  return {
    environment: bucketEnvironment(server, 'media'),
    async stop() {
      await server[Symbol.asyncDispose]()
    },
  }
}

function swap<A, B>([a, b]: readonly [A, B]): [B, A] {
  return [b, a]
}
