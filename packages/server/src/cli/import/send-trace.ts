/** The outcome of one request. */
export type SendTraceOutcome =
  | { readonly kind: 'committed' | 'replayed' }
  /** About this line: the next one may succeed. */
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string }
  /** The service failed on it. It may succeed when it is sent again, or never. */
  | { readonly kind: 'broken'; readonly code: string; readonly detail: string }
  /** It will succeed when it is sent again later. `retryAfterMs` is the shortest wait the service asked for. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterMs: number }
  /** Every line would meet it: a wrong key, a wrong address. */
  | { readonly kind: 'fatal'; readonly reason: string }

export interface Destination {
  readonly url: string
  readonly apiKey: string
}

export type SendTrace = (body: Buffer, idempotencyKey: string, aborted: AbortSignal) => Promise<SendTraceOutcome>

/** A request may take this long, plus the time that a link of 1 Mbit/s needs for its body. */
const ANSWER_TIMEOUT_MS = 60_000
const SLOWEST_BYTES_PER_MS = 125
/** Overload, restarts, and proxies in front of the service. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504])
/** A trace can have many errors. */
const MAX_DETAIL_LENGTH = 500
/** About the one body that was sent. */
const LINE_STATUSES: ReadonlySet<number> = new Set([400, 409, 413, 422])

/** One try to commit one trace. Always resolves. Connections are kept alive and reused. */
export function createSendTrace({ url, apiKey }: Destination): SendTrace {
  const target = new URL('v1/traces', url.endsWith('/') ? url : `${url}/`)
  return async (body, idempotencyKey, aborted) => {
    // Composed by hand: with AbortSignal.any, millions of requests would pile up signals on the one that lives as long
    // as the import.
    const request = new AbortController()
    const abandon = () => request.abort(aborted.reason)
    aborted.addEventListener('abort', abandon, { once: true })
    const timeoutMs = ANSWER_TIMEOUT_MS + body.length / SLOWEST_BYTES_PER_MS
    const timer = setTimeout(() => request.abort(new Error('the service did not answer in time')), timeoutMs)
    try {
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': idempotencyKey },
        body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
        // The key must not be sent to the target of a redirect.
        redirect: 'manual',
        signal: request.signal,
      })
      // Read to the end, so that the connection is free for the next line.
      return toOutcome(answer, await answer.text())
    } catch (error) {
      return { kind: 'unavailable', reason: connectionProblem(error), retryAfterMs: 0 }
    } finally {
      clearTimeout(timer)
      aborted.removeEventListener('abort', abandon)
    }
  }
}

function toOutcome({ status, headers }: Response, text: string): SendTraceOutcome {
  if (status === 202) {
    return { kind: headers.get('idempotency-replayed') === 'true' ? 'replayed' : 'committed' }
  }
  const { code, detail } = readProblem(text, status)
  if (PASSING_STATUSES.has(status)) {
    return { kind: 'unavailable', reason: `${code}: ${detail}`, retryAfterMs: retryAfterMs(headers) }
  }
  if (status === 500) return { kind: 'broken', code, detail }
  if (LINE_STATUSES.has(status)) return { kind: 'refused', code, detail }
  const location = headers.get('location')
  const elsewhere = location === null ? '' : ` It points to ${location}: give that as --url if it is right.`
  return { kind: 'fatal', reason: `${code}: ${detail}${elsewhere}` }
}

interface ProblemFields {
  readonly code?: unknown
  readonly detail?: unknown
  readonly errors?: readonly { readonly pointer?: unknown; readonly detail?: unknown }[]
}

/**
 * The error, field by field if the service names them. Answers that are not from the service (but from a proxy) have no
 * code.
 */
function readProblem(text: string, status: number): { code: string; detail: string } {
  let problem: ProblemFields | null
  try {
    problem = JSON.parse(text) as ProblemFields | null
  } catch {
    problem = null
  }
  const code = typeof problem?.code === 'string' ? problem.code : `http_${status}`
  const fields = Array.isArray(problem?.errors) ? problem.errors : []
  const details = fields.map(({ pointer, detail }) => `${String(pointer ?? '')} ${String(detail)}`.trim())
  const whole = typeof problem?.detail === 'string' ? problem.detail : `The answer had status ${status}.`
  return { code, detail: (details.length > 0 ? details.join('; ') : whole).slice(0, MAX_DETAIL_LENGTH) }
}

/** Seconds or a date, as in HTTP; 0 when the header is missing. */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after')
  if (value === null) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

/** fetch only says "fetch failed"; its cause gives the reason. */
function connectionProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause ? String(cause.code) : ''
  // Several addresses were tried: the message of the aggregate is empty.
  return [code, cause.message].filter((part) => part !== '').join(': ')
}
