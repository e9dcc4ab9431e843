import { ERRORS } from '@spoor/contract/errors'
import type { Answer } from '../lib/client.ts'

/** What is wrong with an answer to any request; null if nothing is. */
export function findFault(answer: Pick<Answer, 'status' | 'headers' | 'text'>): string | null {
  const { status, headers, text } = answer
  if (status >= 500) return `a ${status}: ${text.slice(0, 300)}`
  if (status < 400) return null
  if (!/^application\/problem\+json(; charset=utf-8)?$/.test(headers['content-type'] ?? ''))
    return `a ${status} of type ${headers['content-type']}`
  let problem: Record<string, unknown>
  try {
    problem = JSON.parse(text) as Record<string, unknown>
  } catch {
    return `a ${status} that is no JSON: ${text.slice(0, 300)}`
  }
  const { type, title, code, detail, request_id, errors } = problem
  if (problem['status'] !== status) return `a ${status} that says ${String(problem['status'])}`
  for (const [name, value] of Object.entries({ type, title, code, detail, request_id })) {
    if (typeof value !== 'string' || value === '') return `a ${status} without ${name}: ${text.slice(0, 300)}`
  }
  if (!isCode(code) || ERRORS[code].status !== status) return `a ${status} with the code ${String(code)}`
  if (headers['x-request-id'] !== request_id) return `a ${status} whose request_id is not that of its header`
  if (errors === undefined) return null
  if (!Array.isArray(errors)) return `a ${status} whose errors are no array`
  for (const error of errors as Record<string, unknown>[]) {
    const named = typeof error['pointer'] === 'string' && typeof error['detail'] === 'string' && isCode(error['code'])
    if (!named) return `a ${status} with the error ${JSON.stringify(error)}`
  }
  return null
}

export function isCode(code: unknown): code is keyof typeof ERRORS {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}
