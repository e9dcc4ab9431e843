/**
 * The engine alone: rows of metric events as the service stores them, inserted directly into both tables with the same
 * settings. The reference for the service.
 */
import type { Id, IdPrefix } from '../../../packages/contract/src/ids.ts'
import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { createIdGenerator } from '../../../packages/server/src/lib/ids/ids.ts'
import { systemRandomBytes } from '../../../packages/server/src/lib/ids/random.ts'
import { ByteWriter } from '../../../packages/server/src/storage/clickhouse/rows/byte-writer.ts'
import { openChdbEngine } from '../../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { ClickHouseMetricEvents } from '../../../packages/server/src/storage/clickhouse/rows/clickhouse-metric-events.ts'
import { writeMetricEventRow } from '../../../packages/server/src/storage/clickhouse/rows/metric-event-row.ts'
import { openTelemetrySchema } from '../../../packages/server/src/storage/clickhouse/migrations/open-telemetry-schema.ts'
import type { TelemetryEngine } from '../../../packages/server/src/storage/clickhouse/engine/telemetry-engine.ts'
import { median } from '../percentile.ts'
import { answerJobs } from './worker-process.ts'

export interface RawMetricEventsJob {
  readonly directory: string
  readonly eventsPerInsert: number
  readonly durationMs: number
}

export interface RawMetricEventsResult {
  readonly eventsPerSecond: number
  readonly insertP50Ms: number
}

/** As SPOOR_MEMORY_MB and the number of sessions in the service. */
const ENGINE_BYTES = 400 * 1024 * 1024
const READERS = 4

const ids = createIdGenerator(systemClock, systemRandomBytes)
const projectId = ids.newId('proj')
const metricId = ids.newId('met')
const traceIds = some('tr', 12_000)
let engine: TelemetryEngine | null = null
let version = 0

answerJobs(run, async () => engine?.close())

async function run(job: RawMetricEventsJob): Promise<RawMetricEventsResult> {
  const store = new ClickHouseMetricEvents((engine ??= await open(job.directory)))
  // One batch is prepared while the other is inserted.
  const writers = [new ByteWriter(), new ByteWriter()] as const
  const insertMs: number[] = []
  let rows = write(writers[0], job.eventsPerInsert)
  const began = performance.now()
  for (let turn = 1; performance.now() - began < job.durationMs; turn++) {
    const insertBegan = performance.now()
    const insert = store.insert(rows)
    rows = write(writers[turn % 2 === 0 ? 0 : 1], job.eventsPerInsert)
    await insert
    insertMs.push(performance.now() - insertBegan)
  }
  const seconds = (performance.now() - began) / 1000
  return { eventsPerSecond: (insertMs.length * job.eventsPerInsert) / seconds, insertP50Ms: median(insertMs) }
}

async function open(directory: string): Promise<TelemetryEngine> {
  const opened = openChdbEngine({ directory, memoryBytes: ENGINE_BYTES, readers: READERS })
  await openTelemetrySchema(opened)
  return opened
}

function write(out: ByteWriter, count: number): Buffer {
  out.reset()
  version += 1
  for (let index = 0; index < count; index++) {
    const now = Date.now()
    writeMetricEventRow(out, {
      record: {
        projectId,
        traceId: traceIds[(version * count + index) % traceIds.length]!,
        id: ids.newId('mev'),
        version,
        stepId: null,
        metricId,
        value: { kind: 'numeric', number: index / 7 },
        source: 'code',
        comment: null,
        metadata: Buffer.from('{"task":7}'),
        idempotencyKey: null,
        createdBy: null,
        at: now,
        createdAt: now,
      },
      runType: 'agent',
      models: ['model-a'],
      terms: ['k\0task\x007', 'k\0tenant\0"a tenant"', 'h\0task', 'h\0tenant'],
    })
  }
  return out.written()
}

function some<P extends IdPrefix>(prefix: P, count: number): Id<P>[] {
  return Array.from({ length: count }, () => ids.newId(prefix))
}
