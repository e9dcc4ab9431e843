import { ERRORS, type ErrorCode, type FieldError } from '@spoor/contract/errors'
import { type Problem, problemType } from '@spoor/contract/schemas/problem'
import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

/** The answer for an error (RFC 9457). */
export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Problem
  /** Whether the service caused it, so that it must be logged. */
  readonly unexpected: boolean
}

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  406: 'not_acceptable',
  415: 'unsupported_media_type',
}

/** RFC 6750. The same for every cause, like the rest of the answer. Browsers show no dialog for it. */
const CHALLENGE = 'Bearer realm="spoor"'

/**
 * The one place that maps errors to statuses. Details of errors other than DomainError and client errors of the
 * framework are only logged.
 */
export function toProblem(error: unknown, requestId: string): ProblemAnswer {
  if (error instanceof DomainError) return fromDomainError(error, requestId)
  const status = clientErrorStatus(error)
  if (status !== null && error instanceof Error) {
    return answer(CODES_BY_STATUS[status] ?? 'bad_request', error.message, [], requestId)
  }
  const detail = 'The cause is in the log of the service, under this request_id.'
  return { ...answer('internal_error', detail, [], requestId), unexpected: true }
}

function fromDomainError(error: DomainError, requestId: string): ProblemAnswer {
  // A code for one field or line that was thrown for a whole request becomes its one error.
  if (ERRORS[error.code].status === null) {
    const own = { pointer: '', code: error.code, detail: error.message }
    return fromDomainError(invalid(...(error.errors.length > 0 ? error.errors : [own])), requestId)
  }
  const made = answer(error.code, error.message, error.errors, requestId)
  if (made.status === 401) return { ...made, headers: { ...made.headers, 'www-authenticate': CHALLENGE } }
  if (made.status !== 503 && made.status !== 429) return made
  return { ...made, headers: { ...made.headers, 'retry-after': String(error.retryAfterSeconds ?? 1) } }
}

function answer(code: ErrorCode, detail: string, errors: readonly FieldError[], requestId: string): ProblemAnswer {
  const { status, title } = ERRORS[code]
  if (status === null) throw new Error(`${code} is not the code of a whole request`)
  const body = { type: problemType(code), title, status, code, detail, request_id: requestId } as Problem
  if (errors.length > 0) body.errors = [...errors]
  return { status, headers: { 'content-type': 'application/problem+json' }, body, unexpected: false }
}

/** The status of a client error of the framework; otherwise null. */
function clientErrorStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  const status = error.statusCode
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}
