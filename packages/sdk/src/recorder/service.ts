import type { Item } from './queue.ts'
import { type BlockingRequest, fetchBlocking } from './runtime.ts'
import { exportFrame } from './span-text.ts'

export interface Attempt {
  /** `away`: to be sent again. `too_large`: refused, but each half of the items may be taken. */
  readonly is: 'answered' | 'away' | 'too_large'
  readonly refused: number
  readonly reason: string
  readonly retryAfterMs: number
}

export interface ServiceOptions {
  readonly url: string
  readonly apiKey: string
  readonly serviceName: string | undefined
  /** Default: that of the runtime. */
  readonly fetch: typeof fetch | undefined
  /** Of one attempt, ms. */
  readonly timeoutMs: number
}

/** Statuses of requests that the service will never take. After other refusals, another key or address may help. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 415, 422])

/** Requests to the service: one for all items given, which are of one kind. */
export class Service {
  readonly #options: ServiceOptions
  readonly #frame: { readonly head: string; readonly tail: string }
  #controller = new AbortController()

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#frame = exportFrame(options.serviceName)
  }

  /** The body of an export with these spans. */
  exportOf(spans: readonly Item[]): string {
    return this.#frame.head + bodiesOf(spans) + this.#frame.tail
  }

  async send(items: readonly Item[]): Promise<Attempt> {
    const { timeoutMs, fetch = globalThis.fetch } = this.#options
    const { kind } = items[0] as Item
    const { url, ...request } = this.#requestOf(items)
    this.#controller = new AbortController()
    try {
      const answer = await fetch(url, {
        ...request,
        signal: AbortSignal.any([this.#controller.signal, AbortSignal.timeout(timeoutMs)]),
      })
      const text = await answer.text()
      const { status } = answer
      const reason = `${status} ${text.slice(0, 500)}`
      // Something else than the service may say 200.
      const verdict = answer.ok ? verdictOf(kind, text) : null
      if (verdict !== null) return { is: 'answered', ...verdict, retryAfterMs: 0 }
      const isRefused = REFUSALS.has(status) || (status === 404 && kind === 'flag')
      return {
        is: status === 413 ? 'too_large' : isRefused ? 'answered' : 'away',
        refused: Number.POSITIVE_INFINITY,
        reason,
        retryAfterMs: Number(answer.headers.get('retry-after')) * 1000 || 0,
      }
    } catch (error) {
      const { cause } = error as Error
      const reason = cause instanceof Error ? `${String(error)}: ${cause.message}` : String(error)
      return { is: 'away', refused: 0, reason, retryAfterMs: 0 }
    }
  }

  /**
   * Sends while the process ends, in a thread, and blocks for at most `timeoutMs`. Whether the service has taken all of
   * it. A `fetch` that was given cannot be used in a thread.
   */
  sendAtExit(requests: readonly (readonly Item[])[], timeoutMs: number): boolean {
    if (this.#options.fetch !== undefined) return false
    const texts = fetchBlocking(
      requests.map((items) => this.#requestOf(items)),
      timeoutMs,
    )
    return requests.every((items, at) => verdictOf((items[0] as Item).kind, texts[at] ?? '')?.refused === 0)
  }

  #requestOf(items: readonly Item[]): BlockingRequest {
    const { url, apiKey } = this.#options
    const { kind, path } = items[0] as Item
    return {
      url: url + path,
      method: kind === 'flag' ? 'PATCH' : 'POST',
      body: kind === 'span' ? this.exportOf(items) : kind === 'metric' ? `[${bodiesOf(items)}]` : bodiesOf(items),
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      // A redirect could take the key elsewhere.
      redirect: 'manual',
    }
  }

  /** Gives up the attempt under way. */
  abort(): void {
    this.#controller.abort()
  }
}

function bodiesOf(items: readonly Item[]): string {
  return items.map(({ body }) => body).join(',')
}

interface ServiceAnswer {
  readonly partialSuccess?: { readonly rejectedSpans?: string; readonly errorMessage?: string }
  readonly results?: readonly { readonly status: string }[]
}

/** Null if it is no answer of the service. */
function verdictOf(kind: Item['kind'], text: string): { refused: number; reason: string } | null {
  try {
    const answer = JSON.parse(text) as ServiceAnswer
    if (typeof answer !== 'object' || Array.isArray(answer)) return null
    if (kind === 'metric') {
      const refused = (answer.results as NonNullable<ServiceAnswer['results']>).filter(
        ({ status }) => status === 'error',
      )
      return { refused: refused.length, reason: refused.length === 0 ? '' : JSON.stringify(refused[0]) }
    }
    const { rejectedSpans = 0, errorMessage = '' } = answer.partialSuccess ?? {}
    return { refused: Number(rejectedSpans) || 0, reason: errorMessage }
  } catch {
    return null
  }
}
