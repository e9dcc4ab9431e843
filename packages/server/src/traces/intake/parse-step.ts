import type { Limits } from '@spoor/contract/limits'
import { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { checkMemberCounts } from '../../lib/json/member-counts.ts'
import { readScannedJson } from '../../lib/json/parse-json.ts'
import { compileCollector } from '../../lib/validation/validator.ts'
import { MOST_ERRORS, refuseFields } from '../../lib/validation/validation-failed.ts'
import type { Outcome } from '../../lib/validation/refusal.ts'
import { type ObjectOutline, outlineObject } from '../../lib/json/object-outline.ts'
import { type FindMedia, NO_MEDIA } from './linkable-media.ts'
import { prepareStep } from './prepare-step.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import { checkStepRules } from './step-rules.ts'

const collectBodyErrors = compileCollector(StepBody)

interface ReadStep {
  readonly step: StepBody
  /** Offsets of its members. */
  readonly outline: ObjectOutline
}

/**
 * One step of an append, from its raw line. Refusals: `invalid_encoding`, `malformed_json`, or `validation_failed` with
 * every problem of the step, up to 20. The result shares no memory with `bytes`.
 */
export function parseStep(bytes: Buffer, limits: Limits, findMedia: FindMedia = NO_MEDIA): Outcome<PreparedStep> {
  const read = readStep(bytes, limits, findMedia)
  return 'refusal' in read ? read : { value: prepareStep(bytes, read.value.step, read.value.outline) }
}

/** The same, as it was sent. */
export function readStep(bytes: Buffer, limits: Limits, findMedia: FindMedia): Outcome<ReadStep> {
  const scanner = new JsonScanner(bytes, limits.jsonDepth)
  const outline = outlineObject(scanner)
  const errors = new FieldErrors(MOST_ERRORS)
  if (outline !== null && scanner.failure === null) {
    checkMemberCounts(bytes, outline, StepBody, { metadata: limits.metadataKeys }, errors)
  }
  if (!errors.isEmpty) return refuseFields(errors)
  const read = readScannedJson(scanner)
  if ('refusal' in read) return read
  const { value } = read
  collectBodyErrors(value, errors)
  checkStepRules(bytes, value, outline, limits, findMedia, null, errors)
  if (!errors.isEmpty) return refuseFields(errors)
  return { value: { step: value as StepBody, outline: outline! } }
}
