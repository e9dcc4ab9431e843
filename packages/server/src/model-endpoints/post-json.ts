import type { Timers } from '../lib/time/timers.ts'

export interface JsonPost {
  readonly address: string
  readonly apiKey: string | null
  readonly body: string
  /** Until the answer has ended. */
  readonly timeoutMs: number
  /** A longer answer is refused. */
  readonly mostBytes: number
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null; readonly body: string }
  /** The next try may differ. `detail` completes the sentence "The endpoint …". */
  | { readonly kind: 'unanswered'; readonly detail: string }
  | { readonly kind: 'too_large'; readonly detail: string }

/** Sends one JSON request. Follows no redirect, because the key is for the configured address. Never rejects. */
export async function postJson(post: JsonPost, timers: Pick<Timers, 'after'>): Promise<PostOutcome> {
  const { address, apiKey, body, timeoutMs, mostBytes } = post
  const ending = new AbortController()
  let isTooLate = false
  const cancelLimit = timers.after(timeoutMs, () => {
    isTooLate = true
    ending.abort()
  })
  try {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'Spoor',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    }
    const response = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal: ending.signal })
    const text = await readText(response, mostBytes)
    if (text === null) return { kind: 'too_large', detail: `answered with more than ${mostBytes} bytes` }
    return { kind: 'answered', status: response.status, retryAfter: response.headers.get('retry-after'), body: text }
  } catch (error) {
    const detail = isTooLate
      ? `did not answer within ${Math.ceil(timeoutMs / 1000)} s`
      : `could not be reached (${codeOf(error)})`
    return { kind: 'unanswered', detail }
  } finally {
    cancelLimit()
  }
}

/** Null when it is longer: the rest is not read. */
async function readText({ body }: Response, mostBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Only a code: the system's message names addresses of the operator's network. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'the connection failed'
}
