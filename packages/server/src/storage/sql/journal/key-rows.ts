import type { TraceId } from '@spoor/contract/ids'
import type { CommitRecord } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { compactKey, hashedKey, LASTING, sha256Bytes, stepKeyExpires, traceKeyExpires } from './compact-key.ts'
import { metricEventKey } from './journal-rows.ts'
import type { StepKeyRow, SupersededRow, TraceKeyRow } from './journal-tables.ts'

/* Idempotency keys and superseded sort keys of a commit, as their tables have them. */

/** `generation`: of keys that expire. */
export function* traceKeyRows({ traceKeys }: CommitRecord, generation: number): Generator<TraceKeyRow, void> {
  for (const { projectId, key, bodyHash, traceId } of traceKeys) {
    yield {
      generation: traceKeyExpires(key) ? generation : LASTING,
      project_id: idToBytes(projectId),
      key: hashedKey(key),
      body_hash: sha256Bytes(bodyHash),
      trace_id: idToBytes(traceId),
    }
  }
}

/** The same for steps. Ids are converted once per trace. */
export function* stepKeyRows(
  { stepKeys, metricEventKeys }: CommitRecord,
  generation: number,
): Generator<StepKeyRow, void> {
  let [lastTraceId, lastTrace]: [TraceId | null, Uint8Array] = [null, new Uint8Array()]
  for (const { traceId, key, stepId, contentHash } of stepKeys) {
    if (traceId !== lastTraceId) [lastTraceId, lastTrace] = [traceId, idToBytes(traceId)]
    yield {
      generation: stepKeyExpires(key) ? generation : LASTING,
      trace_id: lastTrace,
      key: compactKey(key),
      step_id: idToBytes(stepId),
      content_hash: sha256Bytes(contentHash),
    }
  }
  for (const { traceId, key, eventId, contentHash } of metricEventKeys) {
    yield {
      generation: LASTING,
      trace_id: idToBytes(traceId),
      key: metricEventKey(key),
      step_id: idToBytes(eventId),
      content_hash: sha256Bytes(contentHash),
    }
  }
}

export function* supersededRows({ superseded, committedAt }: CommitRecord): Generator<SupersededRow, void> {
  for (const keys of superseded) {
    yield {
      project_id: idToBytes(keys.projectId),
      until_version: keys.untilVersion,
      trace_id: idToBytes(keys.traceId),
      from_version: keys.fromVersion,
      superseded_at: committedAt,
      duration_ms: keys.durationMs,
      total_tokens: keys.totalTokens,
      step_count: keys.stepCount,
      usage: keys.usage === null ? null : JSON.stringify(keys.usage),
    }
  }
}
