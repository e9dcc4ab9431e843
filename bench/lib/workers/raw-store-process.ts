/**
 * The engine alone, embedded or a server: the rows that the service stores for the same bodies, serialised beforehand,
 * inserted directly into the same tables with the same settings. The reference for the service.
 */
import { atOnce } from '../../../packages/server/src/lib/flow/in-slices.ts'
import type { ProjectId, TraceId } from '../../../packages/contract/src/ids.ts'
import { DEFAULT_LIMITS } from '../../../packages/contract/src/limits.ts'
import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { createIdGenerator } from '../../../packages/server/src/lib/ids/ids.ts'
import { systemRandomBytes } from '../../../packages/server/src/lib/ids/random.ts'
import { ByteWriter } from '../../../packages/server/src/storage/clickhouse/rows/byte-writer.ts'
import { openChdbEngine } from '../../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { openTelemetrySchema } from '../../../packages/server/src/storage/clickhouse/migrations/open-telemetry-schema.ts'
import { prepareServer } from '../../../packages/server/src/storage/clickhouse/server/prepare-server.ts'
import type { ServerAddress } from '../../../packages/server/src/storage/clickhouse/server/server-connection.ts'
import type { TelemetryEngine } from '../../../packages/server/src/storage/clickhouse/engine/telemetry-engine.ts'
import { writeStepRow } from '../../../packages/server/src/storage/clickhouse/rows/step-row.ts'
import { writeTraceRow } from '../../../packages/server/src/storage/clickhouse/rows/trace-row.ts'
import { commitOfTraces } from '../commit-of-traces.ts'
import { planCreate } from '../../../packages/server/src/traces/commit/plan/create.ts'
import { parseTrace } from '../../../packages/server/src/traces/intake/parse-trace.ts'
import { median } from '../percentile.ts'
import { traceBodies } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

export interface RawStoreJob {
  /** Of the embedded engine, or the server to use instead. */
  readonly store: string | Pick<ServerAddress, 'url' | 'user' | 'password'>
  readonly tracesPerInsert: number
  readonly durationMs: number
  readonly thinkMs?: number
}

export interface RawStoreResult {
  readonly tracesPerSecond: number
  readonly insertP50Ms: number
  readonly cpuSecondsPerTrace: number
}

interface Batch {
  readonly traces: Buffer
  readonly steps: Buffer
  /** The offsets of each trace id, so that the same bytes can be inserted again as other traces. */
  readonly places: readonly { readonly buffer: Buffer; readonly offsets: readonly number[] }[]
}

/** As SPOOR_MEMORY_MB and the number of sessions in the service. */
const ENGINE_BYTES = 400 * 1024 * 1024
const READERS = 4
/** Number of traces whose rows are prepared. */
const READY_TRACES = 256

const ids = createIdGenerator(systemClock, systemRandomBytes)
const projectId = ids.newId('proj') as ProjectId
let engine: TelemetryEngine | null = null
let version = 0

answerJobs(run, async () => engine?.close())

async function run(job: RawStoreJob): Promise<RawStoreResult> {
  const store = (engine ??= await open(job.store))
  const batches = makeBatches(job.tracesPerInsert)
  const insertMs: number[] = []
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  for (let turn = 0; performance.now() - began < job.durationMs; turn++) {
    const batch = batches[turn % batches.length]!
    const insertBegan = performance.now()
    const inserts = Promise.all([store.insert('steps', batch.steps), store.insert('traces', batch.traces)])
    renew(batches[(turn + 1) % batches.length]!)
    await inserts
    insertMs.push(performance.now() - insertBegan)
    if (job.thinkMs !== undefined) await new Promise((resolve) => setTimeout(resolve, job.thinkMs))
  }
  const traces = insertMs.length * job.tracesPerInsert
  const cpu = process.cpuUsage(cpuBefore)
  return {
    tracesPerSecond: traces / ((performance.now() - began) / 1000),
    insertP50Ms: median(insertMs),
    cpuSecondsPerTrace: (cpu.user + cpu.system) / 1e6 / traces,
  }
}

async function open(store: RawStoreJob['store']): Promise<TelemetryEngine> {
  if (typeof store === 'string') {
    const opened = openChdbEngine({ directory: store, memoryBytes: ENGINE_BYTES, readers: READERS })
    await openTelemetrySchema(opened)
    return opened
  }
  const prepared = await prepareServer({ ...store, ca: null, database: 'raw', readers: READERS })
  await openTelemetrySchema(prepared.engine, { dialect: prepared.dialect, place: 'ClickHouse' })
  return prepared.engine
}

/** At least two: one is renewed while another is inserted. */
function makeBatches(tracesPerInsert: number): Batch[] {
  const count = Math.max(2, Math.floor(READY_TRACES / tracesPerInsert))
  const bodies = traceBodies(count * tracesPerInsert)
  return Array.from({ length: count }, (_, index) => {
    const from = index * tracesPerInsert
    return makeBatch(bodies.slice(from, from + tracesPerInsert))
  })
}

function makeBatch(bodies: readonly Buffer[]): Batch {
  const batch = commitOfTraces({
    version: ++version,
    now: Date.now(),
    newTraceId: () => ids.newId('tr'),
    newStepId: () => ids.newId('st'),
  })
  for (const body of bodies) atOnce(planCreate(batch, projectId, parseTrace(body, DEFAULT_LIMITS), null))
  const steps = new ByteWriter()
  for (const step of batch.steps) atOnce(writeStepRow(steps, step, true))
  const traces = new ByteWriter()
  for (const trace of batch.traces) writeTraceRow(traces, trace)
  const buffers = { steps: steps.written(), traces: traces.written() }
  const places = batch.traces.flatMap(({ id }) =>
    [buffers.steps, buffers.traces].map((buffer) => ({ buffer, offsets: offsetsOf(buffer, id) })),
  )
  return { ...buffers, places }
}

function offsetsOf(buffer: Buffer, id: TraceId): number[] {
  const offsets: number[] = []
  for (let at = buffer.indexOf(id); at >= 0; at = buffer.indexOf(id, at + 1)) offsets.push(at)
  return offsets
}

/** New ids for all its traces: rows with existing ids would be merged away. */
function renew({ places }: Batch): void {
  for (let index = 0; index < places.length; index += 2) {
    const id = ids.newId('tr')
    for (const { buffer, offsets } of places.slice(index, index + 2)) {
      for (const offset of offsets) buffer.write(id, offset, 'latin1')
    }
  }
}
