import assert from 'node:assert/strict'
import { atOnce } from '../../../packages/server/src/lib/flow/in-slices.ts'
import { DEFAULT_LIMITS } from '../../../packages/contract/src/limits.ts'
import { commitOfTraces } from '../commit-of-traces.ts'
import { planCreate } from '../../../packages/server/src/traces/commit/plan/create.ts'
import { parseTrace } from '../../../packages/server/src/traces/intake/parse-trace.ts'
import { ByteWriter } from '../../../packages/server/src/storage/clickhouse/rows/byte-writer.ts'
import type { TelemetryEngine } from '../../../packages/server/src/storage/clickhouse/engine/telemetry-engine.ts'
import { readStepRow, writeStepRow } from '../../../packages/server/src/storage/clickhouse/rows/step-row.ts'
import {
  readTraceRow,
  TRACE_RECORD,
  writeTraceRow,
} from '../../../packages/server/src/storage/clickhouse/rows/trace-row.ts'
import { timeOfId } from '../../../packages/server/src/lib/ids/ids.ts'
import type { ProjectId, StepId, TraceId } from '../../../packages/contract/src/ids.ts'
import { type ArchiveShape, stepColumns, STEPS_PER_TRACE, traceColumns, versionOf } from './archive-sql.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Throws unless a sample of the stored rows equals what the service's own code writes for the same traces, in every
 * column that the archive fills and every place of `record` that it has.
 */
export async function checkArchive(engine: TelemetryEngine, shape: ArchiveShape, traces: number): Promise<void> {
  const [counts] = await engine.select('SELECT (SELECT count() FROM traces), (SELECT count() FROM steps)')
  assert.deepEqual(counts, [traces, traces * STEPS_PER_TRACE])
  const sample = Array.from({ length: 20 }, (_, index) => Math.floor((index * (traces - 1)) / 19))
  // Failed traces are rare, so they are selected explicitly.
  const failed = await engine.select(`SELECT ver FROM traces WHERE status = 'error' LIMIT 3`)
  const versions = [...sample.map(versionOf), ...failed.map(([version]) => version as number)]
  for (const version of versions) await checkCommit(engine, shape.projectId as ProjectId, version)
}

async function checkCommit(engine: TelemetryEngine, projectId: ProjectId, version: number): Promise<void> {
  const traces = await storedRows(engine, 'traces', `ver = ${version} ORDER BY id`)
  const steps = await storedRows(engine, 'steps', `ver = ${version} ORDER BY trace_id, position`)
  for (const trace of traces) {
    const ofTrace = steps.filter((step) => step['trace_id'] === trace['id'])
    const expected = rowsOfService(projectId, trace, ofTrace)
    const columns = filled(expected.trace, traceColumns(projectId))
    // The service lists models as they come.
    const usage = byModel(columns['usage'])
    const record = comparable(columns['record'], trace['record'])
    assert.deepEqual(
      { ...trace, usage: byModel(trace['usage']) },
      { ...trace, ...columns, usage, record, created_at: trace['created_at'] },
    )
    for (const [index, step] of ofTrace.entries()) {
      const ofStep = filled(expected.steps[index]!, stepColumns(projectId))
      assert.deepEqual(step, { ...step, ...ofStep, trace_created_at: step['trace_created_at'] })
    }
  }
}

function byModel(usage: unknown): readonly unknown[] {
  return (usage as { readonly model: string }[]).toSorted((a, b) => (a.model < b.model ? -1 : 1))
}

function filled(row: Row, columns: object): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in columns))
}

/** The JSON array, cut to as many places as the stored one has, with its digest, whose texts and models are made up. */
function comparable(expected: unknown, stored: unknown): string {
  const places = JSON.parse(stored as string) as unknown[]
  const record = (JSON.parse(expected as string) as unknown[]).slice(0, places.length)
  const members = [record, places].map((all) => Object.keys(all[DIGEST] as object).toSorted())
  assert.deepEqual(members[1], members[0], 'the digest has the members that the service writes')
  record[DIGEST] = places[DIGEST]
  return JSON.stringify(record)
}

const DIGEST = TRACE_RECORD.fields.indexOf('digest')

async function storedRows(engine: TelemetryEngine, table: string, condition: string): Promise<Row[]> {
  const rows = await engine.select(`SELECT formatRowNoNewline('JSONEachRow', *) FROM ${table} WHERE ${condition}`)
  return rows.map(([row]) => JSON.parse(row as string) as Row)
}

/** What the service would store for the trace of these rows. */
function rowsOfService(projectId: ProjectId, trace: Row, steps: readonly Row[]): { trace: Row; steps: Row[] } {
  const stepIds = steps.map((step) => step['id'] as StepId)
  const traceId = trace['id'] as TraceId
  let used = 0
  const batch = commitOfTraces({
    version: Number(trace['ver']),
    now: timeOfId(traceId),
    newTraceId: () => traceId,
    newStepId: () => stepIds[used++]!,
  })
  atOnce(planCreate(batch, projectId, parseTrace(bodyOf(trace, steps), DEFAULT_LIMITS), null))
  const traceRow = new ByteWriter()
  writeTraceRow(traceRow, batch.traces[0]!)
  const stepRows = batch.steps.map((step) => {
    const out = new ByteWriter()
    atOnce(writeStepRow(out, step, true))
    return out.written()
  })
  return { trace: toRow(traceRow.written()), steps: stepRows.map(toRow) }
}

/** The body that a client would have sent. */
function bodyOf(trace: Row, steps: readonly Row[]): Buffer {
  const stepBodies = steps.map((step) => {
    const { name, type, model, status, startedAt, endedAt, body } = readStepRow(
      ['position', 'record', 'text', 'body'].map((column) => step[column]),
    )
    const head = JSON.stringify({
      name,
      type,
      ...(model === null ? {} : { model }),
      status,
      started_at: new Date(startedAt ?? NaN).toISOString(),
      ended_at: new Date(endedAt ?? NaN).toISOString(),
    })
    return `${head.slice(0, -1)},${body.slice(1)}`
  })
  const { name, runType, sessionId, userId, metadata } = readTraceRow(
    ['id', 'ver', 'record', 'metadata'].map((column) => trace[column]),
  )
  const head = JSON.stringify({ name, run_type: runType, session_id: sessionId, user_id: userId })
  return Buffer.from(`${head.slice(0, -1)},"metadata":${metadata.toString()},"steps":[${stepBodies.join(',')}]}`)
}

/** As the engine prints it: `record`, `metadata` and `body` are strings. */
function toRow(line: Buffer): Row {
  const text = line.toString()
  const row = JSON.parse(text) as Record<string, unknown>
  if (row['record'] !== undefined) row['record'] = JSON.stringify(row['record'])
  for (const raw of ['metadata', 'body']) {
    const start = text.lastIndexOf(`,"${raw}":{`)
    if (start >= 0 && typeof row[raw] === 'object') row[raw] = text.slice(start + raw.length + 4, text.lastIndexOf('}'))
  }
  return row
}
