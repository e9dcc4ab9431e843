import type { FastifyRequest } from 'fastify'
import type { FieldError } from '@spoor/contract/errors'
import { JSON_BODY_VALUES } from '@spoor/contract/limits'
import { invalid, invalidFields, MOST_ERRORS } from '../../lib/validation/validation-failed.ts'
import { countValues } from '../../lib/validation/count-values.ts'
import type { DomainError } from '../../lib/domain-error.ts'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { parseScannedJson } from '../../lib/json/parse-json.ts'
import { checkRepeatedFieldsWithin } from '../../lib/validation/repeated-fields.ts'
import type { Validate } from '../../lib/validation/validator.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { requireMediaType } from './media-types.ts'
import { type BodyRules, ownerOf, withBody } from './request-body.ts'

export interface JsonBodyRules {
  readonly body: BodyRules
  readonly limitBytes: number
  readonly jsonDepth: number
  readonly work: WorkTurns
}

/** Reads and validates a small JSON body: a key, a project, a patch. Its bytes are held only until then. */
export function readJsonBody<T>(request: FastifyRequest, rules: JsonBodyRules, validate: Validate<T>): Promise<T> {
  requireMediaType(request.headers, 'application/json')
  return withBody(request, rules.limitBytes, rules.body, (body) =>
    rules.work.run(ownerOf(request), () => validate(parse(body, rules.jsonDepth))),
  )
}

/** A duplicate field is refused, because another reader of the body could use the other value. */
function parse(body: Buffer, maxDepth: number): unknown {
  const scanner = new JsonScanner(body, maxDepth)
  if (countValues(scanner, JSON_BODY_VALUES) > JSON_BODY_VALUES) throw tooManyValues()
  const value = parseScannedJson(scanner)
  const errors = new FieldErrors(MOST_ERRORS)
  checkRepeatedFieldsWithin(new JsonScanner(body, Infinity), null, errors)
  if (!errors.isEmpty) throw invalidFields(errors)
  refuseInfinite(value)
  return value
}

function tooManyValues(): DomainError {
  const detail = `The body has more than ${JSON_BODY_VALUES} values; the rest was not read.`
  return invalid({ pointer: '', code: 'too_many', detail })
}

/**
 * A number like 1e400 is valid JSON but is parsed as infinity. Throws `validation_failed` with the first such number in
 * a parsed body.
 */
function refuseInfinite(body: unknown): void {
  const errors: FieldError[] = []
  collect(body, '', errors)
  if (errors.length > 0) throw invalid(...errors)
}

function collect(value: unknown, pointer: string, errors: FieldError[]): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    errors.push({ pointer, code: 'out_of_range', detail: 'The number is too large.' })
  }
  if (typeof value !== 'object' || value === null || errors.length > 0) return
  for (const [name, inner] of Object.entries(value)) {
    collect(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, errors)
  }
}
