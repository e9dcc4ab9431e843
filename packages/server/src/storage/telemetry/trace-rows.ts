import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from '../../traces/rollup.ts'
import type { StepRecord } from '../../traces/step-record.ts'
import { isMetadataTerm, nameWords, traceTerms } from '../../traces/terms.ts'
import type { TraceRecord } from '../../traces/trace-record.ts'
import { type NewStep, UNKNOWN_DURATION } from '../../traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'

/** No client's time is before 1970. */
const NO_TIME = -1

/**
 * Between records and stored rows (docs/formats/stored-rows.md). Absent text is stored as '', absent time as -1 (0 is the first
 * instant of 1970); `metadata` and `body` are raw JSON
 * objects handed to the engine as they are, which stores their bytes unchanged in a String column.
 */
export function writeTraceRow(out: ByteWriter, trace: TraceRecord): void {
  const usage = trace.tokenUsage
  const row = {
    project_id: trace.projectId,
    id: trace.id,
    ver: trace.version,
    created_at: trace.createdAt,
    deleted: trace.deleted ? 1 : 0,
    name: trace.name,
    run_type: trace.runType,
    own_status: trace.ownStatus ?? '',
    status: trace.status,
    flagged: trace.flagged ? 1 : 0,
    flag_reason: trace.flagReason ?? '',
    previous_own_status: trace.previous.ownStatus ?? '',
    previous_flagged: trace.previous.flagged ? 1 : 0,
    previous_flag_reason: trace.previous.flagReason ?? '',
    session_id: trace.sessionId ?? '',
    user_id: trace.userId ?? '',
    own_started_at: trace.ownStartedAt ?? NO_TIME,
    own_ended_at: trace.ownEndedAt ?? NO_TIME,
    steps_failed: trace.stepsFailed ? 1 : 0,
    steps_started_at: trace.stepsStartedAt ?? NO_TIME,
    steps_ended_at: trace.stepsEndedAt ?? NO_TIME,
    duration_ms: durationOf(trace) ?? UNKNOWN_DURATION,
    step_count: trace.stepCount,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    total_tokens: totalTokens(usage),
    models: trace.models,
    body_bytes: trace.bodyBytes,
    last_step_id: trace.lastStepId ?? '',
    terms: [...traceTerms(trace), ...nameWords(trace.name)],
  }
  const fields = JSON.stringify(row)
  out.text(fields.slice(0, -1))
  out.ascii(',"metadata":')
  out.bytes(trace.metadata)
  out.ascii('}\n')
}

/** `withText` false leaves the words out that full-text search would find. */
export function writeStepRow(out: ByteWriter, step: NewStep, withText: boolean): void {
  const { prepared } = step
  const usage = prepared.tokenUsage
  out.ascii(
    `{"project_id":"${step.projectId}","trace_id":"${step.traceId}","id":"${step.id}","ver":${step.version},` +
      `"position":${step.position},"trace_created_at":${step.traceCreatedAt},"received_at":${step.receivedAt},` +
      `"parent_step_id":"${step.parentStepId ?? ''}","parent_inferred":${step.parentInferred ? 1 : 0},` +
      `"status":"${prepared.status ?? 'ok'}","started_at":${prepared.startedAt ?? NO_TIME},"ended_at":${prepared.endedAt ?? NO_TIME},`,
  )
  if (usage !== null) {
    out.ascii(
      `"input_tokens":${usage.input},"output_tokens":${usage.output},"cache_read_tokens":${usage.cacheRead},` +
        `"cache_write_tokens":${usage.cacheWrite},"reasoning_tokens":${usage.reasoning},`,
    )
  }
  out.text(
    `"name":${JSON.stringify(prepared.name)},"type":${JSON.stringify(prepared.type)},` +
      `"model":${JSON.stringify(prepared.model ?? '')},"idempotency_key":${JSON.stringify(prepared.idempotencyKey ?? '')},` +
      `"text":${withText ? JSON.stringify(prepared.searchText) : '""'},"body_bytes":${prepared.body.length},"body":`,
  )
  out.bytes(prepared.body)
  out.ascii('}\n')
}

export const TRACE_COLUMNS = [
  'project_id',
  'id',
  'ver',
  'toUnixTimestamp64Milli(created_at)',
  'deleted',
  'name',
  'run_type',
  'own_status',
  'status',
  'flagged',
  'flag_reason',
  'previous_own_status',
  'previous_flagged',
  'previous_flag_reason',
  'session_id',
  'user_id',
  'own_started_at',
  'own_ended_at',
  'steps_failed',
  'steps_started_at',
  'steps_ended_at',
  'step_count',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'models',
  'body_bytes',
  'last_step_id',
  'terms',
  'metadata',
].join(', ')

type Status = 'ok' | 'error'
type StatusText = Status | ''

/** Columns of TRACE_COLUMNS, in that order. */
type TraceColumns = [
  ProjectId,
  TraceId,
  number,
  number,
  0 | 1,
  string,
  string,
  StatusText,
  Status,
  0 | 1,
  string,
  StatusText,
  0 | 1,
  string,
  string,
  string,
  number,
  number,
  0 | 1,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  string[],
  number,
  StepId | '',
  string[],
  string,
]

export function readTraceRow(row: readonly unknown[]): TraceRecord {
  const [
    projectId,
    id,
    version,
    createdAt,
    deleted,
    name,
    runType,
    ownStatus,
    status,
    flagged,
    flagReason,
    previousOwnStatus,
    previousFlagged,
    previousFlagReason,
    sessionId,
    userId,
    ownStartedAt,
    ownEndedAt,
    stepsFailed,
    stepsStartedAt,
    stepsEndedAt,
    stepCount,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    models,
    bodyBytes,
    lastStepId,
    terms,
    metadata,
  ] = row as TraceColumns
  return {
    projectId,
    id,
    version,
    createdAt,
    deleted: deleted === 1,
    name,
    runType,
    ownStatus: ownStatus === '' ? null : ownStatus,
    status,
    flagged: flagged === 1,
    flagReason: flagReason === '' ? null : flagReason,
    metadata: Buffer.from(metadata),
    sessionId: sessionId === '' ? null : sessionId,
    userId: userId === '' ? null : userId,
    ownStartedAt: toTime(ownStartedAt),
    ownEndedAt: toTime(ownEndedAt),
    stepsFailed: stepsFailed === 1,
    stepsStartedAt: toTime(stepsStartedAt),
    stepsEndedAt: toTime(stepsEndedAt),
    stepCount,
    tokenUsage: { input, output, cacheRead, cacheWrite, reasoning },
    models,
    bodyBytes,
    lastStepId: lastStepId === '' ? null : lastStepId,
    metadataTerms: terms.filter(isMetadataTerm),
    previous: {
      flagged: previousFlagged === 1,
      flagReason: previousFlagReason === '' ? null : previousFlagReason,
      ownStatus: previousOwnStatus === '' ? null : previousOwnStatus,
    },
  }
}

export const STEP_COLUMNS = [
  'id',
  'position',
  'name',
  'type',
  'model',
  'status',
  'started_at',
  'ended_at',
  'received_at',
  'parent_step_id',
  'parent_inferred',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'idempotency_key',
  'body',
].join(', ')

/** Columns of STEP_COLUMNS, in that order. */
type StepColumns = [
  StepId,
  number,
  string,
  string,
  string,
  Status,
  number,
  number,
  number,
  StepId | '',
  0 | 1,
  number,
  number,
  number,
  number,
  number,
  string,
  string,
]

export function readStepRow(row: readonly unknown[]): StepRecord {
  const [
    id,
    position,
    name,
    type,
    model,
    status,
    startedAt,
    endedAt,
    receivedAt,
    parentStepId,
    parentInferred,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    idempotencyKey,
    body,
  ] = row as StepColumns
  return {
    id,
    position,
    name,
    type,
    model: model === '' ? null : model,
    status,
    startedAt: toTime(startedAt),
    endedAt: toTime(endedAt),
    receivedAt,
    parentStepId: parentStepId === '' ? null : parentStepId,
    parentInferred: parentInferred === 1,
    tokenUsage: { input, output, cacheRead, cacheWrite, reasoning },
    idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
    body,
  }
}

function toTime(ms: number): number | null {
  return ms === NO_TIME ? null : ms
}
