import type { Limits } from '@spoor/contract/limits'
import { StepBody, TraceBody } from '@spoor/contract/schemas/traces/trace-body'
import { type Fields, isFields } from '@spoor/payloads/json'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { type ObjectOutline, outlineMembers, outlineObject } from '../../lib/json/object-outline.ts'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { checkMemberCounts } from '../../lib/json/member-counts.ts'
import { parseScannedJson } from '../../lib/json/parse-json.ts'
import { compileCollector } from '../../lib/validation/validator.ts'
import { invalidFields, MOST_ERRORS } from '../../lib/validation/validation-failed.ts'
import { toMillisecond } from '../../lib/time/timestamp.ts'
import type { PreparedTrace } from '../../ports/traces/prepared.ts'
import { checkTimes } from './body-rules.ts'
import { type FindMedia, NO_MEDIA } from './linkable-media.ts'
import { prepareStep } from './prepare-step.ts'
import { checkStepRules } from './step-rules.ts'
import * as rules from '../../lib/validation/field-rules.ts'

/** A body of `POST /v1/traces`, or a part of an imported trace, in which a key may be used again that had expired. */
export type TraceForm = 'trace' | 'part'

interface TraceOutline extends ObjectOutline {
  /** One for each element of `steps`; null if the element is not an object. */
  readonly steps: readonly (ObjectOutline | null)[]
  /** May exceed the number of outlined steps. */
  readonly stepCount: number
}

const collectBodyErrors = compileCollector(TraceBody)

/**
 * The body of `POST /v1/traces`, from its raw bytes. Throws DomainError `invalid_encoding`, `malformed_json`, or
 * `validation_failed` with every problem of the body, up to 20. The result shares no memory with `bytes`.
 */
export function parseTrace(
  bytes: Buffer,
  limits: Limits,
  findMedia: FindMedia = NO_MEDIA,
  holds: TraceForm = 'trace',
): PreparedTrace {
  const errors = new FieldErrors(MOST_ERRORS)
  const scanner = new JsonScanner(bytes, limits.jsonDepth)
  const outline = outlineTrace(scanner, limits.stepsPerTraceBody)
  // Checked before values are built: too many small steps would take many times the body's size in memory.
  if (outline !== null && outline.stepCount > limits.stepsPerTraceBody) {
    const detail = `A trace body must have at most ${limits.stepsPerTraceBody} steps; append the others.`
    errors.add({ parent: null, key: 'steps' }, 'too_many', detail)
    throw invalidFields(errors)
  }
  if (outline !== null && scanner.failure === null) checkCounts(bytes, outline, limits, errors)
  if (!errors.isEmpty) throw invalidFields(errors)
  const value = parseScannedJson(scanner)
  collectBodyErrors(value, errors)
  checkTraceRules(bytes, value, outline, limits, findMedia, holds, errors)
  if (!errors.isEmpty) throw invalidFields(errors)
  return prepareTrace(bytes, value as TraceBody, outline!)
}

/** Checks that need only the number of members: a million unknown fields are refused in one scan. */
function checkCounts(bytes: Buffer, outline: TraceOutline, limits: Limits, errors: FieldErrors): void {
  const mostKeys = { metadata: limits.metadataKeys }
  checkMemberCounts(bytes, outline, TraceBody, mostKeys, errors)
  const steps = { parent: null, key: 'steps' }
  for (let index = 0; index < outline.steps.length && !errors.isFull; index++) {
    const step = outline.steps[index] ?? null
    if (step !== null) checkMemberCounts(bytes, step, StepBody, mostKeys, errors, { parent: steps, key: index })
  }
}

function checkTraceRules(
  bytes: Buffer,
  value: unknown,
  outline: TraceOutline | null,
  limits: Limits,
  findMedia: FindMedia,
  holds: TraceForm,
  errors: FieldErrors,
): void {
  if (outline === null || !isFields(value)) return
  rules.checkRepeatedFields(bytes, value, outline, null, errors)
  rules.checkFilterText(value, 'name', null, errors)
  rules.checkFilterText(value, 'session_id', null, errors)
  rules.checkFilterText(value, 'user_id', null, errors)
  rules.checkMetadata(value, limits, null, errors)
  checkMetadataSize(value, outline, limits, errors)
  checkTimes(value, null, errors)
  const { steps } = value
  if (!Array.isArray(steps)) return
  const stepsPlace = { parent: null, key: 'steps' }
  for (let index = 0; index < steps.length && !errors.isFull; index++) {
    const stepOutline = outline.steps[index] ?? null
    checkStepRules(bytes, steps[index], stepOutline, limits, findMedia, { parent: stepsPlace, key: index }, errors)
  }
  checkDistinct(steps, 'id', errors)
  if (holds === 'trace') checkDistinct(steps, 'idempotency_key', errors)
}

/**
 * The metadata of a trace is limited because lists show it for each trace. That of a step is shown only with the step.
 */
function checkMetadataSize(value: Fields, outline: TraceOutline, limits: Limits, errors: FieldErrors): void {
  const member = outline.members[Object.keys(value).indexOf('metadata')]
  if (member === undefined || member.end - member.start <= limits.metadataBytes) return
  const detail = `The metadata of a trace must have at most ${limits.metadataBytes} bytes; a step can hold more.`
  errors.add({ parent: null, key: 'metadata' }, 'too_long', detail)
}

function checkDistinct(steps: readonly unknown[], name: 'id' | 'idempotency_key', errors: FieldErrors): void {
  const firstWith = new Map<string, number>()
  for (let index = 0; index < steps.length && !errors.isFull; index++) {
    const step = steps[index]
    const key = isFields(step) ? step[name] : undefined
    if (typeof key !== 'string') continue
    const first = firstWith.get(key)
    if (first === undefined) {
      firstWith.set(key, index)
      continue
    }
    const at = { parent: { parent: { parent: null, key: 'steps' }, key: index }, key: name }
    errors.add(at, 'duplicate_id', `Step ${first} of this body has the same \`${name}\`.`)
  }
}

function prepareTrace(bytes: Buffer, trace: TraceBody, outline: TraceOutline): PreparedTrace {
  return {
    name: trace.name,
    runType: trace.run_type ?? 'agent',
    ownStatus: trace.status ?? null,
    ownStartedAt: toMillisecond(trace.started_at),
    ownEndedAt: toMillisecond(trace.ended_at),
    sessionId: trace.session_id ?? null,
    userId: trace.user_id ?? null,
    metadata: cutMetadata(bytes, trace, outline),
    steps: (trace.steps ?? []).map((step, index) => prepareStep(bytes, step, outline.steps[index]!)),
  }
}

/** A copy, so that a waiting trace does not retain its whole request. */
function cutMetadata(bytes: Buffer, trace: TraceBody, outline: TraceOutline): Buffer {
  const member = outline.members[Object.keys(trace).indexOf('metadata')]
  return member === undefined ? Buffer.from('{}') : Buffer.from(bytes.subarray(member.start, member.end))
}

/** Outlines a trace body and, in the same pass, at most `mostSteps` of its steps. */
function outlineTrace(scanner: JsonScanner, mostSteps: number): TraceOutline | null {
  let steps: (ObjectOutline | null)[] = []
  let stepCount = 0
  const outline = outlineMembers(scanner, () => {
    if (!scanner.keyIs('steps') || !scanner.enterArray()) {
      scanner.skipValue()
      return
    }
    // JSON.parse uses the last of two duplicates. The trace is refused for it in any case.
    steps = []
    stepCount = 0
    while (scanner.nextElement()) {
      if (stepCount++ < mostSteps) steps.push(outlineObject(scanner))
      else scanner.skipValue()
    }
  })
  return outline === null ? null : { ...outline, steps, stepCount }
}
