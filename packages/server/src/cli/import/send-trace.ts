import type { FieldError } from '@spoor/contract/errors'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { parseJson } from '@spoor/payloads/json'
import { moveAside } from '../../lib/validation/move-aside.ts'
import { type LineRequest, pathOf, toLineRequest } from './line-request.ts'

export type SendTraceOutcome =
  | {
      readonly kind: 'committed' | 'replayed'
      /** Why it was refused as it was: the values in question were moved aside. */
      readonly change?: { readonly code: string; readonly detail: string }
    }
  /** About this line: the next one may succeed. */
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly detail: string
      /** Of a trace, field by field. */
      readonly errors?: readonly FieldError[]
    }
  /** The service failed on it. It may succeed when it is sent again, or never. */
  | { readonly kind: 'broken'; readonly code: string; readonly detail: string }
  /** It will succeed when it is sent again later. `retryAfterMs` is the shortest wait that the service requested. */
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

/** Values are moved aside one by one this often, and then by whole fields. */
const ROUNDS = { single: 20, whole: 20 } as const

/**
 * One try to send one line. Always resolves. Connections are kept alive and reused. Of a trace that the service refuses
 * for some of its values, these are moved aside and the rest is sent: the same way each time, under a key of its own.
 */
export function createSendTrace(
  destination: Destination,
  toRequest: (line: Buffer) => LineRequest = toLineRequest,
): SendTrace {
  const post = createPost(destination)
  return async (line, idempotencyKey, aborted) => {
    const sent = toRequest(line)
    if (sent.kind === 'invalid') return { kind: 'refused', code: 'malformed_line', detail: sent.detail }
    let outcome = await post(sent, idempotencyKey, aborted)
    let change: { readonly code: string; readonly detail: string } | undefined
    let { body } = sent
    for (let round = 1; outcome.kind === 'refused' && round <= ROUNDS.single + ROUNDS.whole; round++) {
      const { code, detail, errors } = outcome
      if (errors === undefined || !errors.every(isOfValue)) break
      change ??= { code, detail }
      const next = withoutValues(body, errors, round > ROUNDS.single)
      if (next.equals(body)) break
      body = next
      outcome = await post({ kind: 'trace', body }, `${idempotencyKey}-changed-${round}`, aborted)
    }
    if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code, detail: outcome.detail }
    const isThere = outcome.kind === 'committed' || outcome.kind === 'replayed'
    return isThere && change !== undefined ? { ...outcome, change } : outcome
  }
}

/**
 * Without its name, or with fields of something else, it is no trace with a wrong value. Without its status a failed
 * run would seem to have gone well, and too many steps are no value.
 */
function isOfValue({ pointer, code }: FieldError): boolean {
  if (pointer === '/steps' || pointer.endsWith('/status')) return false
  return pointer.startsWith('/steps/') || code === 'too_deep' || !(code === 'required' || code === 'unknown_field')
}

function withoutValues(body: Buffer, errors: readonly FieldError[], wholly: boolean): Buffer {
  const trace = parseExactJson(body.toString()) as Record<string, unknown>
  moveAside(trace, errors, DEFAULT_LIMITS, wholly)
  return Buffer.from(JSON.stringify(trace))
}

type Post = (
  sent: Exclude<LineRequest, { readonly kind: 'invalid' }>,
  idempotencyKey: string,
  aborted: AbortSignal,
) => Promise<SendTraceOutcome>

function createPost({ url, apiKey }: Destination): Post {
  const base = url.endsWith('/') ? url : `${url}/`
  return async (sent, idempotencyKey, aborted) => {
    const { body } = sent
    // Composed by hand: with AbortSignal.any, millions of requests would pile up signals on the one that lives as long
    // as the import.
    const request = new AbortController()
    const abandon = () => request.abort(aborted.reason)
    aborted.addEventListener('abort', abandon, { once: true })
    const timeoutMs = ANSWER_TIMEOUT_MS + body.length / SLOWEST_BYTES_PER_MS
    const timer = setTimeout(() => request.abort(new Error('the service did not answer in time')), timeoutMs)
    try {
      const answer = await fetch(new URL(pathOf(sent), base), {
        method: sent.kind === 'call' ? sent.method : 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': apiKey,
          // Records of a recorder have keys of their own.
          ...(sent.kind === 'trace' && { 'idempotency-key': idempotencyKey }),
        },
        body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
        // The key must not be sent to the target of a redirect.
        redirect: 'manual',
        signal: request.signal,
      })
      // Read to the end, so that the connection is free for the next line.
      return toOutcome(sent.kind, answer, await answer.text())
    } catch (error) {
      return { kind: 'unavailable', reason: connectionProblem(error), retryAfterMs: 0 }
    } finally {
      clearTimeout(timer)
      aborted.removeEventListener('abort', abandon)
    }
  }
}

type SentKind = Exclude<LineRequest['kind'], 'invalid'>

const DONE: Readonly<Record<SentKind, ReadonlySet<number>>> = {
  trace: new Set([202]),
  call: new Set([200, 201, 202]),
  // Langfuse has a verdict for each event.
  batch: new Set([200, 202, 207]),
}

function toOutcome(kind: SentKind, { status, headers }: Response, text: string): SendTraceOutcome {
  if (DONE[kind].has(status)) {
    const refused = kind === 'batch' ? refusedItems(text) : null
    if (refused !== null) return refused
    return { kind: headers.get('idempotency-replayed') === 'true' ? 'replayed' : 'committed' }
  }
  const { code, detail, errors } = readProblem(text, status)
  if (PASSING_STATUSES.has(status)) {
    return { kind: 'unavailable', reason: `${code}: ${detail}`, retryAfterMs: retryAfterMs(headers) }
  }
  if (status === 500) return { kind: 'broken', code, detail }
  if (LINE_STATUSES.has(status)) {
    const isOfFields = kind === 'trace' && status === 422 && errors.length > 0
    return { kind: 'refused', code, detail, ...(isOfFields ? { errors } : {}) }
  }
  // The trace of a call may be deleted, and of several events one refused.
  if (kind === 'call' && status === 404 && code !== 'http_404') return { kind: 'refused', code, detail }
  if (kind === 'call' && status === 207) {
    return { kind: 'refused', code: 'events_refused', detail: text.slice(0, MAX_DETAIL_LENGTH) }
  }
  const location = headers.get('location')
  const elsewhere = location === null ? '' : ` It points to ${location}: give that as --url if it is right.`
  return { kind: 'fatal', reason: `${code}: ${detail}${elsewhere}` }
}

/** Items of a batch that are refused for good: the others are stored. Each sender is answered in its own form. */
interface BatchAnswer {
  readonly partialSuccess?: Readonly<Record<string, unknown>>
  readonly errors?: readonly { readonly message?: unknown }[]
  readonly refused?: number
  readonly reasons?: readonly unknown[]
}

/** Null if none is refused. */
function refusedItems(text: string): SendTraceOutcome | null {
  const { partialSuccess, errors = [], refused = 0, reasons = [] } = parseJson(text) as BatchAnswer
  const spans = Number(partialSuccess?.['rejectedSpans'] ?? 0)
  const count = spans + Number(partialSuccess?.['rejectedLogRecords'] ?? 0) + errors.length + refused
  if (count === 0) return null
  const said = [partialSuccess?.['errorMessage'], ...errors.map(({ message }) => message), ...reasons]
  const reason = [...new Set(said.filter((one) => typeof one === 'string'))].join('; ')
  const item = spans === 0 ? 'item' : 'span'
  const detail = `${count} ${count === 1 ? item : `${item}s`} of the line: ${reason}`
  return { kind: 'refused', code: `${item}s_refused`, detail: detail.slice(0, MAX_DETAIL_LENGTH) }
}

interface ProblemFields {
  readonly code?: unknown
  readonly detail?: unknown
  /** Of an answer about spans. */
  readonly message?: unknown
  readonly errors?: readonly FieldError[]
}

/**
 * The error, field by field if the service names them. Answers that are not from the service (but from a proxy) have no
 * code.
 */
function readProblem(text: string, status: number): { code: string; detail: string; errors: readonly FieldError[] } {
  const problem = parseJson(text) as ProblemFields
  const code = typeof problem.code === 'string' ? problem.code : `http_${status}`
  const fields = Array.isArray(problem.errors) ? problem.errors : []
  const details = fields.map(({ pointer, detail }) => `${String(pointer ?? '')} ${String(detail)}`.trim())
  const said = problem.detail ?? problem.message
  const whole = typeof said === 'string' ? said : `The answer had status ${status}.`
  return { code, detail: (details.length > 0 ? details.join('; ') : whole).slice(0, MAX_DETAIL_LENGTH), errors: fields }
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
