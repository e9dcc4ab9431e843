import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { MetricId, ProjectId } from '../../../packages/contract/src/ids.ts'
import { idFromBytes } from '../../../packages/server/src/lib/ids/typeid.ts'
import { openChdbEngine } from '../../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { openTelemetrySchema } from '../../../packages/server/src/storage/clickhouse/migrations/open-telemetry-schema.ts'
import type { TelemetryEngine } from '../../../packages/server/src/storage/clickhouse/engine/telemetry-engine.ts'
import type { METRIC_EVENT_PRINTED } from '../../../packages/server/src/storage/clickhouse/rows/metric-event-row.ts'
import type { TRACE_PRINTED } from '../../../packages/server/src/storage/clickhouse/rows/trace-row.ts'
import { type Columns, idExpression, insertInto } from './archive-sql.ts'

/** Change it whenever the generated data or its storage format changes. */
const REVISION = 5
/** As SPOOR_MEMORY_MB and the number of sessions in the service. */
const ENGINE_BYTES = 400 * 1024 * 1024
const READERS = 4
const BUILD_BYTES = 4_000_000_000

/** All times are before this one, so that queries are the same at every run. */
export const ARCHIVE_END = Date.UTC(2026, 2, 2)
export const DAY_MS = 86_400_000
export const PROJECT: ProjectId = numberedId('proj', 1)
/** Each has all events of one kind of metric, within the last day. */
export const LARGE_METRICS = {
  boolean: numberedId('met', 1),
  numeric: numberedId('met', 2),
  enum: numberedId('met', 3),
}
const MONITORED = 50
/** These share the same number of events, within the last day. */
export const MONITORED_METRICS: readonly MetricId[] = Array.from({ length: MONITORED }, (_, n) =>
  numberedId('met', 100 + n),
)

export const ENUM_OPTIONS = ['good', 'fair', 'bad']

export interface SeriesArchiveSize {
  readonly events: number
  readonly traces: number
  /** How long before the end the first trace is; 60 days if absent. */
  readonly tracesWithinMs?: number
}

/** Opens the telemetry store of that size under `storeDir`, as the service would. Builds it if it does not exist. */
export async function openSeriesArchive(storeDir: string, size: SeriesArchiveSize): Promise<TelemetryEngine> {
  const directory = join(storeDir, `series-${REVISION}-${size.events}-${size.traces}`)
  if (!existsSync(directory)) await build(directory, size)
  return openChdbEngine({ directory, memoryBytes: ENGINE_BYTES, readers: READERS })
}

/** Built under another name, so that an interrupted run leaves nothing that looks complete. */
async function build(directory: string, { events, traces }: SeriesArchiveSize): Promise<void> {
  console.log(`building an archive of ${events} events and ${traces} traces in ${directory}`)
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const engine = openChdbEngine({ directory: unfinished, memoryBytes: BUILD_BYTES, readers: 1 })
  await openTelemetrySchema(engine)
  const place = { projectId: PROJECT, end: ARCHIVE_END }
  for (const metric of Object.values(LARGE_METRICS)) await fillEvents(engine, place, [metric], events)
  await fillMonitored(engine, place, { events, traces })
  await engine.close()
  renameSync(unfinished, directory)
}

/**
 * The telemetry store of a data directory with the data of 1,000 monitors: events of MONITORED_METRICS on the last day
 * before `end`, and traces.
 */
export async function buildMonitoredTelemetry(
  directory: string,
  place: ArchivePlace,
  size: SeriesArchiveSize,
): Promise<void> {
  const engine = openChdbEngine({ directory, memoryBytes: BUILD_BYTES, readers: 1 })
  await openTelemetrySchema(engine)
  await fillMonitored(engine, place, size)
  await engine.close()
}

export interface ArchivePlace {
  readonly projectId: ProjectId
  /** All times are before it. */
  readonly end: number
}

async function fillMonitored(
  engine: TelemetryEngine,
  place: ArchivePlace,
  { events, traces, tracesWithinMs = 60 * DAY_MS }: SeriesArchiveSize,
): Promise<void> {
  await fillEvents(engine, place, MONITORED_METRICS, events)
  const of = { ...place, tracesWithinMs, traces }
  const chunk = Math.max(1, traces / 20)
  for (let from = 0; from < traces; from += chunk)
    await engine.command(insertTraces(of, from, Math.min(traces, from + chunk), 1))
  // One in fifty was changed after it was written: a version in a part of its own.
  await engine.command(`${insertTraces(of, 0, traces, 2)} WHERE n % 50 = 0 ${SETTINGS}`)
  await mergesEnded(engine)
}

/**
 * In the order of their times, in statements of half an hour each, so that the engine merges as it would in service.
 */
async function fillEvents(
  engine: TelemetryEngine,
  place: ArchivePlace,
  metrics: readonly MetricId[],
  events: number,
): Promise<void> {
  const chunk = Math.ceil(events / 48)
  for (let from = 0; from < events; from += chunk)
    await engine.command(insertEvents(place, metrics, { from, to: Math.min(events, from + chunk), events }))
}

const SETTINGS = 'SETTINGS max_threads = 1, max_insert_threads = 1'

/**
 * Events at uneven times, the same number for each metric. A value is a boolean, a number below 1,000 with three
 * decimals, or an option, by the kind of the metric.
 */
function insertEvents(
  { projectId, end }: ArchivePlace,
  metrics: readonly MetricId[],
  { from, to, events }: { readonly from: number; readonly to: number; readonly events: number },
): string {
  const isNumber = metrics.length > 1 ? 'n % 50 % 2 = 1' : metrics[0] === LARGE_METRICS.numeric ? '1' : '0'
  const isEnum = metrics[0] === LARGE_METRICS.enum ? '1' : '0'
  const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`
  const columns: Columns<keyof typeof METRIC_EVENT_PRINTED> = {
    project_id: `'${projectId}'`,
    metric_id: `${list(metrics)}[n % ${metrics.length} + 1]`,
    at: `fromUnixTimestamp64Milli(toInt64(ms), 'UTC')`,
    id: idExpression('mev', 'ms', `cityHash64(n, ${metrics.length}, 1)`),
    trace_id: idExpression('tr', 'ms', 'cityHash64(n, 2)'),
    ver: 'intDiv(n, 50) + 1',
    value: `multiIf(${isEnum}, 0, ${isNumber}, cityHash64(n, 3) % 1000000 / 1000, cityHash64(n, 4) % 10 < 8)`,
    option: `if(${isEnum}, ${list(ENUM_OPTIONS)}[cityHash64(n, 5) % 3 + 1], '')`,
    source: `['human', 'code', 'llm'][cityHash64(n, 6) % 3 + 1]`,
    run_type: `['agent', 'agent', 'task'][cityHash64(n, 7) % 3 + 1]`,
    models: `[['gpt-4o', 'gpt-4o-mini', 'claude-sonnet'][cityHash64(n, 8) % 3 + 1]]`,
    meta: `map('env', ['"prod"', '"dev"'][cityHash64(n, 9) % 2 + 1], 'task', concat('"', toString(cityHash64(n, 10) % 1000), '"'))`,
  }
  return `
${insertInto('metric_points', columns)}
FROM (SELECT number AS n, toUInt64(${end - DAY_MS} + n * ${DAY_MS / events} + cityHash64(n, 11) % 40) AS ms FROM numbers(${from}, ${to - from}))
${SETTINGS}`
}

/** Traces without the wide columns that no aggregate reads. */
function insertTraces(
  { projectId, end, tracesWithinMs, traces }: ArchivePlace & Required<Omit<SeriesArchiveSize, 'events'>>,
  from: number,
  to: number,
  version: number,
): string {
  const columns: Columns<keyof typeof TRACE_PRINTED> = {
    project_id: `'${projectId}'`,
    id: idExpression('tr', 'ms', 'cityHash64(n, 1)'),
    ver: String(version),
    created_at: `fromUnixTimestamp64Milli(toInt64(ms), 'UTC')`,
    run_type: `['agent', 'agent', 'task'][cityHash64(n, 2) % 3 + 1] AS run_type`,
    status: `if(cityHash64(n, 3) % 30 < ${version}, 'error', 'ok') AS status`,
    duration_ms: 'cityHash64(n, 4) % 60000',
    step_count: '10',
    input_tokens: 'cityHash64(n, 5) % 20000 AS input_tokens',
    output_tokens: 'cityHash64(n, 6) % 5000 AS output_tokens',
    total_tokens: 'input_tokens + output_tokens',
    name: `'flow'`,
    user_id: `concat('user-', toString(n % 5000))`,
    models: `[['gpt-4o', 'gpt-4o-mini', 'claude-sonnet'][cityHash64(n, 7) % 3 + 1]] AS models`,
    usage: `[(models[1], (toUInt64(input_tokens), toUInt64(output_tokens), toUInt64(0), toUInt64(0)))]`,
    meta: `map('env', ['"prod"', '"dev"'][n % 2 + 1])`,
    terms: `[concat('s\\0', status), concat('r\\0', run_type), 'n\\0flow', concat('u\\0user-', toString(n % 5000)), concat('m\\0', models[1]), concat('k\\0env\\0"', ['prod', 'dev'][n % 2 + 1], '"'), 'h\\0env']`,
  }
  return `
${insertInto('traces', columns)}
FROM (SELECT number AS n, toUInt64(${end - tracesWithinMs} + n * ${tracesWithinMs / traces} + cityHash64(n, 8) % ${Math.floor(tracesWithinMs / traces)}) AS ms FROM numbers(${from}, ${to - from}))`
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

function numberedId<P extends 'proj' | 'met'>(prefix: P, number: number) {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(number, 10, 6)
  return idFromBytes(prefix, bytes)
}
