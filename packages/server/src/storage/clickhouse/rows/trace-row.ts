import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from '../../../traces/commit/rollup.ts'
import { nameWords, traceTerms } from '../../../traces/intake/terms.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { UNKNOWN_DURATION } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { writeRawJson } from '../engine/raw-json.ts'

/**
 * Between records and stored rows (docs/formats/stored-rows.md). What the engine filters, sorts or counts by has a column of its own; a read takes
 * `record`, which has all of it again: one granule to unpack for each trace of a page instead of one of every column.
 */
export function writeTraceRow(out: ByteWriter, trace: TraceRecord): void {
  const usage = trace.tokenUsage
  const terms = [...traceTerms(trace), ...nameWords(trace.name)]
  out.ascii(
    `{"project_id":"${trace.projectId}","id":"${trace.id}","ver":${trace.version},"created_at":${trace.createdAt},` +
      `"deleted":${trace.deleted ? 1 : 0},"status":"${trace.status}","flagged":${trace.flagged ? 1 : 0},` +
      `"duration_ms":${durationOf(trace) ?? UNKNOWN_DURATION},"step_count":${trace.stepCount},` +
      `"input_tokens":${usage.input},"output_tokens":${usage.output},"cache_read_tokens":${usage.cacheRead},` +
      `"cache_write_tokens":${usage.cacheWrite},"total_tokens":${totalTokens(usage)},`,
  )
  out.text(
    `"run_type":${JSON.stringify(trace.runType)},"models":${JSON.stringify(trace.models)},` +
      `"terms":${JSON.stringify(terms)},"record":${JSON.stringify(toStored(trace))},"metadata":`,
  )
  writeRawJson(out, trace.metadata)
  out.ascii('}\n')
}

/** What `readTraceRow` takes. Others count on the id being the first and the version the second. */
export const TRACE_COLUMNS = 'id, ver, record, metadata'

export function readTraceRow(row: readonly unknown[]): TraceRecord {
  const [id, version, record, metadata] = row as [TraceId, number, string, string]
  return { id, version, metadata: Buffer.from(metadata), ...fromStored(JSON.parse(record) as StoredRecord) }
}

/** The column `record`: a JSON array of these, in this order. Others may be added at its end. */
type StoredRecord = readonly [
  projectId: ProjectId,
  createdAt: number,
  deleted: boolean,
  name: string,
  runType: string,
  sessionId: string | null,
  userId: string | null,
  ownStatus: 'ok' | 'error' | null,
  ownStartedAt: number | null,
  ownEndedAt: number | null,
  status: 'ok' | 'error',
  flagged: boolean,
  flagReason: string | null,
  stepCount: number,
  stepsFailed: boolean,
  stepsStartedAt: number | null,
  stepsEndedAt: number | null,
  bodyBytes: number,
  lastStepId: StepId | null,
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  reasoningTokens: number,
  models: readonly string[],
]

function toStored(trace: TraceRecord): StoredRecord {
  const usage = trace.tokenUsage
  return [
    trace.projectId,
    trace.createdAt,
    trace.deleted,
    trace.name,
    trace.runType,
    trace.sessionId,
    trace.userId,
    trace.ownStatus,
    trace.ownStartedAt,
    trace.ownEndedAt,
    trace.status,
    trace.flagged,
    trace.flagReason,
    trace.stepCount,
    trace.stepsFailed,
    trace.stepsStartedAt,
    trace.stepsEndedAt,
    trace.bodyBytes,
    trace.lastStepId,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.reasoning,
    trace.models,
  ]
}

function fromStored(record: StoredRecord): Omit<TraceRecord, 'id' | 'version' | 'metadata'> {
  const [
    projectId,
    createdAt,
    deleted,
    name,
    runType,
    sessionId,
    userId,
    ownStatus,
    ownStartedAt,
    ownEndedAt,
    status,
    flagged,
    flagReason,
    stepCount,
    stepsFailed,
    stepsStartedAt,
    stepsEndedAt,
    bodyBytes,
    lastStepId,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    models,
  ] = record
  return {
    projectId,
    createdAt,
    deleted,
    name,
    runType,
    sessionId,
    userId,
    ownStatus,
    ownStartedAt,
    ownEndedAt,
    status,
    flagged,
    flagReason,
    stepCount,
    stepsFailed,
    stepsStartedAt,
    stepsEndedAt,
    bodyBytes,
    lastStepId,
    tokenUsage: { input, output, cacheRead, cacheWrite, reasoning },
    models,
  }
}
