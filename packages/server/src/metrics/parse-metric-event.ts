import { hash } from 'node:crypto'
import type { Limits } from '@spoor/contract/limits'
import { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import { type Fields, isFields } from '@spoor/payloads/json'
import type { MetricScore } from '../ports/journal/metric-event.ts'
import * as rules from '../lib/validation/field-rules.ts'
import { FieldErrors } from '../lib/validation/field-errors.ts'
import { MOST_ERRORS, refuseFields } from '../lib/validation/validation-failed.ts'
import { JsonScanner } from '../lib/json/json-scan.ts'
import { type ObjectOutline, outlineObject } from '../lib/json/object-outline.ts'
import { readScannedJson } from '../lib/json/parse-json.ts'
import type { Outcome } from '../lib/validation/refusal.ts'
import { compileCollector } from '../lib/validation/validator.ts'
import { toMillisecond } from '../lib/time/timestamp.ts'

/** An event with the right shape; whether it fits its metric and its trace is not checked yet. Ids are as sent. */
export interface ParsedMetricEvent extends Pick<MetricScore, 'source' | 'comment' | 'idempotencyKey'> {
  readonly name: string
  readonly traceId: string
  readonly stepId: string | null
  /** Exactly one of these is defined. A number may be infinite if 64 bits cannot hold it. */
  readonly passed: boolean | undefined
  readonly value: number | string | undefined
  /** Raw JSON object, the client's bytes; `{}` when absent. */
  readonly metadata: Buffer
  /** SHA-256 (hex) of the event's raw bytes without surrounding white space, if it has a key; else ''. */
  readonly contentHash: string
  /** Milliseconds; null when absent. */
  readonly at: number | null
}

const collectBodyErrors = compileCollector(MetricEventBody)

/**
 * Parses one event from its raw JSON. Refused: `invalid_encoding`, `malformed_json`, or `validation_failed` naming up
 * to 20 problems of its shape. The result shares no memory with `bytes`.
 */
export function parseMetricEvent(bytes: Buffer, limits: Limits): Outcome<ParsedMetricEvent> {
  const scanner = new JsonScanner(bytes, limits.jsonDepth)
  const outline = outlineObject(scanner)
  const read = readScannedJson(scanner)
  return 'refusal' in read ? read : readMetricEvent(bytes, read.value, outline, limits)
}

/**
 * The same from a parsed value. `outline` gives the positions of it and its members in `bytes`; null when it is no
 * object.
 */
export function readMetricEvent(
  bytes: Buffer,
  value: unknown,
  outline: ObjectOutline | null,
  limits: Limits,
): Outcome<ParsedMetricEvent> {
  const errors = new FieldErrors(MOST_ERRORS)
  collectBodyErrors(withFiniteValue(value), errors)
  if (outline !== null && isFields(value)) checkEventRules(bytes, value, outline, limits, errors)
  if (!errors.isEmpty) return refuseFields(errors)
  return { value: toParsed(bytes, value as MetricEventBody, outline!) }
}

/** A number too large for 64 bits has the right shape. The metric check reports that it is out of range. */
function withFiniteValue(value: unknown): unknown {
  if (!isFields(value) || typeof value['value'] !== 'number' || Number.isFinite(value['value'])) return value
  return { ...value, value: 0 }
}

function checkEventRules(
  bytes: Buffer,
  value: Fields,
  outline: ObjectOutline,
  limits: Limits,
  errors: FieldErrors,
): void {
  rules.checkRepeatedFields(bytes, value, outline, null, errors)
  const judged = Object.hasOwn(value, 'value')
  if (Object.hasOwn(value, 'passed') === judged) {
    const detail = judged ? 'An event has either `passed` or `value`, not both.' : 'Give `passed` or `value`.'
    errors.add(judged ? { parent: null, key: 'value' } : null, judged ? 'invalid_value' : 'required', detail)
  }
  rules.checkUnicode(value, 'value', null, errors)
  rules.checkUnicode(value, 'comment', null, errors)
  rules.checkFilterText(value, 'idempotency_key', null, errors)
  rules.checkMetadata(value, limits, null, errors)
  rules.checkTime(value, 'at', null, errors)
}

function toParsed(bytes: Buffer, event: MetricEventBody, outline: ObjectOutline): ParsedMetricEvent {
  const idempotencyKey = event.idempotency_key ?? null
  const metadata = outline.members[Object.keys(event).indexOf('metadata')]
  return {
    name: event.name,
    traceId: event.trace_id,
    stepId: event.step_id ?? null,
    passed: event.passed,
    value: event.value,
    source: event.source ?? null,
    comment: event.comment ?? null,
    // A copy, so that a waiting event does not hold its whole request in memory.
    metadata: metadata === undefined ? Buffer.from('{}') : Buffer.from(bytes.subarray(metadata.start, metadata.end)),
    idempotencyKey,
    contentHash: idempotencyKey === null ? '' : hash('sha256', bytes.subarray(outline.start, outline.end), 'hex'),
    at: toMillisecond(event.at),
  }
}
