import type { Item } from './queue.ts'
import { afterDelay } from './runtime.ts'
import { exportFrame } from './span-text.ts'

export type Attempt =
  | { readonly is: 'answered'; readonly refused: number; readonly reason: string }
  /** To be sent again. */
  | { readonly is: 'away'; readonly reason: string; readonly retryAfterMs: number }
  | { readonly is: 'too_large' }

export interface ServiceOptions {
  readonly url: string
  readonly apiKey: string
  readonly serviceName: string | undefined
  readonly fetch: typeof fetch
  /** Of one attempt, ms. */
  readonly timeoutMs: number
}

/** What the service says of a request that it will never take. Another key or address may make others good. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 415, 422])

/** Requests to the service: one for all items given, which are of one kind. */
export class Service {
  readonly #options: ServiceOptions
  readonly #frame: { readonly head: string; readonly tail: string }
  #controller: AbortController | null = null

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#frame = exportFrame(options.serviceName)
  }

  /** The body of an export with these spans. */
  exportOf(spans: readonly Item[]): string {
    const [first] = spans
    // A request of the spool is whole.
    if (first?.sequence === 0) return first.body
    return this.#frame.head + spans.map(({ body }) => body).join(',') + this.#frame.tail
  }

  async send(items: readonly Item[]): Promise<Attempt> {
    const [first] = items
    if (first === undefined) return { is: 'answered', refused: 0, reason: '' }
    if (first.kind === 'span') return this.#request('POST', '/otlp/v1/traces', this.exportOf(items), rejectedSpans)
    if (first.kind === 'flag') return this.#request('PATCH', first.path, first.body, noneRefused)
    const events = `[${items.map(({ body }) => body).join(',')}]`
    return this.#request('POST', first.path, events, refusedLines)
  }

  async #request(method: string, path: string, body: string, readAnswer: ReadAnswer): Promise<Attempt> {
    const { url, apiKey, timeoutMs } = this.#options
    const controller = new AbortController()
    const cancelTimer = afterDelay(timeoutMs, () => controller.abort(new Error(`no answer in ${timeoutMs} ms`)))
    this.#controller = controller
    try {
      const answer = await this.#options.fetch(`${url}${path}`, {
        method,
        body,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        // A redirect could take the key elsewhere.
        redirect: 'manual',
        signal: controller.signal,
      })
      const text = await answer.text()
      const { status } = answer
      const reason = `${status} ${text.slice(0, 500)}`
      if (answer.ok) {
        const verdict = readAnswer(parsed(text))
        // Something else than the service says 200.
        return verdict === null ? { is: 'away', reason, retryAfterMs: 0 } : { is: 'answered', ...verdict }
      }
      if (status === 413) return { is: 'too_large' }
      const isRefused = REFUSALS.has(status) || (status === 404 && method === 'PATCH')
      if (isRefused) return { is: 'answered', refused: Number.POSITIVE_INFINITY, reason }
      return { is: 'away', reason, retryAfterMs: retryAfterMs(answer.headers.get('retry-after')) }
    } catch (error) {
      return { is: 'away', reason: reasonOf(error), retryAfterMs: 0 }
    } finally {
      cancelTimer()
      this.#controller = null
    }
  }

  /** Gives up the attempt under way. */
  abort(): void {
    this.#controller?.abort(new Error('the process ends'))
  }
}

type ReadAnswer = (answer: Readonly<Record<string, unknown>> | null) => { refused: number; reason: string } | null

const noneRefused: ReadAnswer = (answer) => (answer === null ? null : { refused: 0, reason: '' })

const rejectedSpans: ReadAnswer = (answer) => {
  if (answer === null) return null
  const { rejectedSpans: count = 0, errorMessage = '' } = objectOf(answer['partialSuccess']) ?? {}
  return { refused: Number(count) || 0, reason: String(errorMessage) }
}

const refusedLines: ReadAnswer = (answer) => {
  if (!Array.isArray(answer?.['results'])) return null
  const refused = (answer['results'] as unknown[]).filter((result) => objectOf(result)?.['status'] === 'error')
  return { refused: refused.length, reason: refused.length === 0 ? '' : JSON.stringify(refused[0]) }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return null
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Seconds or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  const seconds = Number(header)
  return Math.max(0, (Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000) || 0)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined }
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
