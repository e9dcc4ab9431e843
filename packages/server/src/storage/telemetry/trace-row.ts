import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from '../../traces/rollup.ts'
import { isMetadataTerm, nameWords, traceTerms } from '../../traces/terms.ts'
import type { TraceRecord } from '../../traces/trace-record.ts'
import { UNKNOWN_DURATION } from '../../traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { NO_TIME, toTime } from './stored-time.ts'

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
