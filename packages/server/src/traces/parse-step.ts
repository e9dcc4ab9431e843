import type { Limits } from '@spoor/contract/limits'
import { StepBody } from '@spoor/contract/schemas/trace-body'
import { Compile } from 'typebox/compile'
import { FieldErrors } from '../lib/field-errors.ts'
import { JsonScanner } from '../lib/json-scan.ts'
import { parseScannedJson } from '../lib/parse-json.ts'
import { collectSchemaErrors } from '../lib/schema-errors.ts'
import { invalidBody, MOST_ERRORS } from '../lib/invalid-body.ts'
import { outlineObject } from '../lib/object-outline.ts'
import { type FindMedia, NO_MEDIA } from './linkable-media.ts'
import { prepareStep } from './prepare-step.ts'
import type { PreparedStep } from './prepared.ts'
import { checkStepRules } from './step-rules.ts'

const stepBody = Compile(StepBody)

/**
 * One step of an append, from its raw line. Throws DomainError `invalid_encoding`, `malformed_json`, or `validation_failed` naming every
 * problem of the step up to 20. The result shares no memory with `bytes`.
 */
export function parseStep(bytes: Buffer, limits: Limits, findMedia: FindMedia = NO_MEDIA): PreparedStep {
  const scanner = new JsonScanner(bytes, limits.jsonDepth)
  const outline = outlineObject(scanner)
  const value = parseScannedJson(scanner)
  const errors = new FieldErrors(MOST_ERRORS)
  if (!stepBody.Check(value)) collectSchemaErrors(StepBody, value, null, errors)
  checkStepRules(bytes, value, outline, limits, findMedia, null, errors)
  if (!errors.isEmpty) throw invalidBody('step', errors)
  return prepareStep(bytes, value as StepBody, outline!)
}
