import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../lib/domain-error.ts'
import { JsonScanner } from '../lib/json-scan.ts'
import { requireMediaType } from './media-types.ts'
import { type BodyRules, withBody } from './request-body.ts'
import { invalid, type Validate } from './validate.ts'

export interface ControlBodyRules {
  readonly body: BodyRules
  readonly limitBytes: number
  readonly jsonDepth: number
}

/** Reads and checks a small JSON body: of a key, a project, a patch. */
export function readControlBody<T>(
  request: FastifyRequest,
  rules: ControlBodyRules,
  validate: Validate<T>,
): Promise<T> {
  requireMediaType(request.headers, 'application/json')
  return withBody(request.raw, rules.limitBytes, rules.body, async (body) => validate(parseJson(body, rules.jsonDepth)))
}

function parseJson(body: Buffer, maxDepth: number): unknown {
  if (!isUtf8(body)) throw new DomainError('invalid_encoding', 'The body is not valid UTF-8.')
  const scanner = new JsonScanner(body, maxDepth)
  scanner.skipValue()
  if (scanner.failure === 'too_deep') {
    throw invalid([{ pointer: '', code: 'too_deep', detail: `It is nested deeper than ${maxDepth}.` }])
  }
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new DomainError('malformed_json', 'The body is not valid JSON.', { cause })
  }
}
