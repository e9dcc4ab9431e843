import type { Problem } from './generated/api-types.ts'

/** A request was refused, or there was no answer after the last attempt. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status, or 0 if there was no answer. */
  readonly status: number
  /** The service's stable code, `no_answer`, or `unexpected_answer` if a proxy or the like answered. */
  readonly code: Problem['code'] | 'no_answer' | 'unexpected_answer'
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined
  /** The refused fields. */
  readonly errors: NonNullable<Problem['errors']>

  constructor(
    message: string,
    fields: Pick<ApiError, 'status' | 'code'> & Partial<Pick<ApiError, 'requestId' | 'errors'>>,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = fields.status
    this.code = fields.code
    this.requestId = fields.requestId
    this.errors = fields.errors ?? []
  }
}

/** The error that an answer without success describes. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text()
  const { status } = response
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    return new ApiError(`${status}: ${text.slice(0, 200)}`, { status, code: 'unexpected_answer' })
  }
  const problem = JSON.parse(text) as Problem
  const fields = (problem.errors ?? []).map(({ pointer, detail }) => ` ${pointer}: ${detail}`).join('')
  const { code, request_id: requestId, errors = [] } = problem
  return new ApiError(`${status} ${code}: ${problem.detail}${fields}`, { status, code, requestId, errors })
}
