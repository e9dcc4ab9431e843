import type { StepId } from '@spoor/contract/ids'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import type { NewStep } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { writeRawJson } from '../engine/raw-json.ts'
import { NO_TIME, toTime } from './stored-time.ts'

/** Characters of text written in one piece: escaping and encoding them takes less than a millisecond. */
const PIECE_LENGTH = 64 * 1024

/** `withText` false leaves the words out that full-text search would find. Yields between the pieces of a long text. */
export function* writeStepRow(out: ByteWriter, step: NewStep, withText: boolean): Generator<void, void> {
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
      `"text":"`,
  )
  if (withText) yield* writeText(out, prepared.searchText)
  out.ascii(`","body_bytes":${prepared.body.length},"body":`)
  writeRawJson(out, prepared.body)
  out.ascii('}\n')
}

/** The inside of a JSON string. */
function* writeText(out: ByteWriter, text: string): Generator<void, void> {
  for (let start = 0; start < text.length;) {
    const end = isHighSurrogate(text.charCodeAt(start + PIECE_LENGTH - 1)) ? PIECE_LENGTH - 1 : PIECE_LENGTH
    out.text(JSON.stringify(text.slice(start, start + end)).slice(1, -1))
    start += end
    if (start < text.length) yield
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
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
  'ok' | 'error',
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
