import type { Problem } from '@spoor/contract/schemas/problem'
import { ApiError } from './api-error.ts'
import { ofProject } from './current-project.ts'
import { earlyRequests } from './early-requests.ts'

export type QueryValue = string | number | boolean | readonly string[] | null | undefined

interface RequestOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Called when the service answers 401: the session has ended. */
let onSessionEnd = () => {}

export function setSessionEndListener(listener: () => void): void {
  onSessionEnd = listener
}

/** `/path?query` of the service. Null, undefined and empty values are left out; lists repeat their name. */
export function pathOf(path: string, query: Readonly<Record<string, QueryValue>> = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue
    if (typeof value === 'object') for (const each of value) parameters.append(name, each)
    else parameters.append(name, String(value))
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

/**
 * Sends a request with the session's cookie. Resolves with the JSON response (undefined if empty). Throws ApiError, or
 * the signal's reason.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const text = await (await send(path, options)).text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

export const post = <T>(path: string, body?: unknown) => request<T>(path, { method: 'POST', body })
export const put = <T>(path: string, body: unknown) => request<T>(path, { method: 'PUT', body })
export const patch = <T>(path: string, body: unknown) => request<T>(path, { method: 'PATCH', body })
export const remove = (path: string) => request<void>(path, { method: 'DELETE' })

/** Like `request`, but resolves with the successful response before its body is read. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', query, body, headers = {}, signal } = options
  let response: Response
  try {
    const url = pathOf(path, query)
    const early = method === 'GET' ? earlyRequests.take(url, signal) : null
    response = await (early ??
      fetch(ofProject(url), {
        method,
        credentials: 'same-origin',
        headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ?? null,
      }))
  } catch (error) {
    if (signal?.aborted === true) throw error
    const next = method === 'GET' ? 'This page retries automatically.' : 'This may not have been saved: try again.'
    throw new ApiError(0, { detail: `Spoor cannot be reached. It may be restarting. ${next}` })
  }
  if (response.ok) return response
  const text = await response.text()
  if (response.status === 401 && path !== '/v1/session') onSessionEnd()
  throw new ApiError(response.status, readProblem(text, response))
}

function readProblem(text: string, { status, statusText }: Response): Partial<Problem> & { detail: string } {
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    return { ...problem, detail: problem.detail ?? problem.title ?? statusText }
  } catch {
    // Not a response of the service: something between it and this page.
    return { detail: `Spoor cannot be reached: ${status} ${statusText}` }
  }
}
