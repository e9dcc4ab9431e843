import type { FastifyRequest } from 'fastify'
import { FieldErrors } from '../lib/field-errors.ts'
import { JsonScanner } from '../lib/json-scan.ts'
import { parseScannedJson } from '../lib/parse-json.ts'
import { checkRepeatedFieldsWithin } from '../lib/body-rules.ts'
import { refuseInfinite } from './finite-numbers.ts'
import { requireMediaType } from './media-types.ts'
import { type BodyRules, withBody } from './request-body.ts'
import { invalid, type Validate } from './validate.ts'

export interface ControlBodyRules {
  readonly body: BodyRules
  readonly limitBytes: number
  readonly jsonDepth: number
}

/** Most fields named as given twice. */
const MOST_ERRORS = 20

/** Reads and checks a small JSON body: of a key, a project, a patch. */
export function readControlBody<T>(
  request: FastifyRequest,
  rules: ControlBodyRules,
  validate: Validate<T>,
): Promise<T> {
  requireMediaType(request.headers, 'application/json')
  return withBody(request, rules.limitBytes, rules.body, async (body) => validate(parse(body, rules.jsonDepth)))
}

/** A field given twice is refused: whoever reads the body elsewhere might take the other one. */
function parse(body: Buffer, maxDepth: number): unknown {
  const scanner = new JsonScanner(body, maxDepth)
  scanner.skipValue()
  const value = parseScannedJson(scanner)
  const errors = new FieldErrors(MOST_ERRORS)
  checkRepeatedFieldsWithin(body, value, null, errors)
  if (!errors.isEmpty) throw invalid(errors.all)
  refuseInfinite(value)
  return value
}
