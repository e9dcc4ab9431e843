import type { Problem } from '@spoor/contract/schemas/problem'

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** With encoded parameters, without a query. */
  readonly path: string
  readonly query?: URLSearchParams
  /** JSON. */
  readonly body?: string
}

interface ApiAnswer {
  readonly status: number
  readonly body: string
  /** The header `Retry-After`. */
  readonly retryAfter: string | null
}

/** Sends a request to the HTTP API with the key of the caller, so a tool can do what the key can do. */
export type SendApiRequest = (request: ApiRequest) => Promise<ApiAnswer>

/** The call of a tool failed for a reason that its caller can read and act on. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The operations of the API for tools. Every method rejects with ToolError if the API refuses the request. */
export class Api {
  readonly #send: SendApiRequest

  constructor(send: SendApiRequest) {
    this.#send = send
  }

  get<T>(path: string, query: URLSearchParams = new URLSearchParams()): Promise<T> {
    return this.#call({ method: 'GET', path, query })
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#call({ method: 'POST', path, body: jsonOf(body) })
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#call({ method: 'PATCH', path, body: jsonOf(body) })
  }

  async #call<T>(request: ApiRequest): Promise<T> {
    const answer = await this.#send(request)
    if (answer.status >= 400) throw new ToolError(refusalText(answer))
    return JSON.parse(answer.body) as T
  }
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    // The stack is too small for it. The service refuses it with much fewer levels.
    if (!(error instanceof RangeError)) throw error
    throw new ToolError('validation_failed: The arguments are nested too deeply.', { cause: error })
  }
}

/** `code: detail`, then the errors of fields that the detail does not quote, or when to retry. */
function refusalText({ status, body, retryAfter }: ApiAnswer): string {
  const problem = readProblem(body)
  if (problem === null) return `The service answered ${status} without a reason.`
  const { code, detail, errors = [] } = problem
  const others = errors.slice(1).map((error) => `${error.pointer}: ${error.detail}`)
  const again = retryAfter === null ? [] : [`Retry after ${retryAfter} s.`]
  return [`${code}: ${detail}`, ...others, ...again].join('\n')
}

/** Null if something else than the service answered, such as a proxy. */
function readProblem(body: string): Problem | null {
  if (!body.startsWith('{"type":')) return null
  return JSON.parse(body) as Problem
}
