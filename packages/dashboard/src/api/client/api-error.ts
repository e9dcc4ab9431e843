import type { FieldProblem, Problem } from '@spoor/contract/schemas/problem'
import { fieldWords } from './field-words.ts'

/** An error response of the service. `status` 0: it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  /** Stable, as in the API's error catalogue; `unreachable` if there was no response. */
  readonly code: string
  /** The request id, for finding it in the service's log; null without a response. */
  readonly requestId: string | null
  readonly problems: readonly FieldProblem[]

  constructor(status: number, problem: Partial<Problem> & { detail: string }) {
    super(problem.detail)
    this.name = 'ApiError'
    this.status = status
    this.code = problem.code ?? 'unreachable'
    this.requestId = problem.request_id ?? null
    this.problems = problem.errors ?? []
  }

  /** The error of a field of the body, by JSON Pointer (`/threshold`), or of anything inside it unless `exact`. */
  of(pointer: string, exact = false): string | undefined {
    const found = this.problems.find(
      (problem) => problem.pointer === pointer || (!exact && problem.pointer.startsWith(`${pointer}/`)),
    )
    return found === undefined ? undefined : fieldWords(found)
  }
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(0, { detail: error instanceof Error ? error.message : String(error) })
}
