/**
 * Fills a data directory with an archive that the service can open:
 *
 *     node bench/lib/workers/archive-process.ts DIRECTORY TRACES INTERVAL_MS
 *
 * In a process of its own, because the engine is allowed more memory than in the service. Prints a line for each chunk.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TraceId } from '../../../packages/contract/src/ids.ts'
import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { createIdGenerator } from '../../../packages/server/src/lib/ids/ids.ts'
import { systemRandomBytes } from '../../../packages/server/src/lib/ids/random.ts'
import { bootstrap } from '../../../packages/server/src/projects/bootstrap.ts'
import { newSecret } from '../../../packages/server/src/projects/key-format.ts'
import { openControlStore } from '../../../packages/server/src/storage/sql/open-control-store.ts'
import { openChdbEngine } from '../../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { openTelemetrySchema } from '../../../packages/server/src/storage/clickhouse/migrations/open-telemetry-schema.ts'
import type { TelemetryEngine } from '../../../packages/server/src/storage/clickhouse/engine/telemetry-engine.ts'
import { type ArchiveShape, COMMIT_TRACES, insertSteps, insertTraces, versionOf } from '../archives/archive-sql.ts'
import { type Archive, ARCHIVE_FILE } from '../archives/archive.ts'
import { checkArchive } from '../archives/check-archive.ts'

/** One part of about 350 MB: near the largest that merges make, so that no merge remains. Takes 3 GB of memory. */
const CHUNK_TRACES = 50_000
const ENGINE_BYTES = 8_000_000_000

const [target, count, interval] = process.argv.slice(2)
if (target === undefined || !(Number(interval) > 0) || !(Number(count) > 0) || Number(count) % COMMIT_TRACES !== 0) {
  throw new Error(`usage: archive-process.ts DIRECTORY TRACES (a multiple of ${COMMIT_TRACES}) INTERVAL_MS`)
}
await build(target, Number(count), Number(interval))

/** Built under another name, so that an interrupted run leaves nothing that looks complete. */
async function build(directory: string, traces: number, intervalMs: number): Promise<void> {
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  const control = openControlStore({ dataDir: unfinished, clock: systemClock, create: true })
  const secret = newSecret(systemRandomBytes)
  const ids = createIdGenerator(systemClock, systemRandomBytes)
  const dependencies = { ...control, clock: systemClock, ids, randomBytes: systemRandomBytes }
  const { projectId } = await bootstrap(dependencies, secret)
  const shape: ArchiveShape = { projectId, startedAt: Date.now() - (traces + 10) * intervalMs, intervalMs }

  const engine = openChdbEngine({ directory: join(unfinished, 'telemetry'), memoryBytes: ENGINE_BYTES, readers: 1 })
  await openTelemetrySchema(engine)
  await fill(engine, shape, traces)
  await checkArchive(engine, shape, traces)
  await mergesEnded(engine)
  const [row] = await engine.select('SELECT max(id) FROM traces')
  const lastTraceId = row?.[0] as TraceId
  await engine.close()

  control.journal.append({
    version: versionOf(traces - 1),
    committedAt: Date.now(),
    lastTraceId,
    projects: [],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [],
  })
  control.close()
  const archive: Archive = { traces, startedAt: shape.startedAt, intervalMs, key: secret }
  writeFileSync(join(unfinished, ARCHIVE_FILE), JSON.stringify(archive))
  rmSync(directory, { recursive: true, force: true })
  renameSync(unfinished, directory)
}

async function fill(engine: TelemetryEngine, shape: ArchiveShape, traces: number): Promise<void> {
  for (let from = 0; from < traces; from += CHUNK_TRACES) {
    const to = Math.min(traces, from + CHUNK_TRACES)
    const began = performance.now()
    await engine.command(insertSteps(shape, from, to))
    await engine.command(insertTraces(shape, from, to))
    console.log(`  traces ${from} to ${to}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
}

/** Pending merges would disturb the measurement. */
async function mergesEnded(engine: TelemetryEngine): Promise<void> {
  let quietSeconds = 0
  while (quietSeconds < 5) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const [row] = await engine.select('SELECT count() FROM system.merges')
    quietSeconds = row?.[0] === 0 ? quietSeconds + 1 : 0
  }
}
