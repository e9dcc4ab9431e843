import { ApiError, toApiError } from './api-error.ts'

export interface ClientOptions {
  /** The address of the service. Default: the environment variable `SPOOR_URL`. */
  readonly url?: string
  /** A key of the project. Default: the environment variable `SPOOR_API_KEY`. */
  readonly apiKey?: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** How often a request that may be repeated is repeated at most. 3 by default. */
  readonly retries?: number
  /** For one attempt, 60 seconds by default. Tails and artifacts have no limit. */
  readonly timeoutMs?: number
  /** Replaces the wait between attempts, for tests. Must reject when the signal aborts. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export interface SentRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData
  /** A repetition changes nothing more. By default all but `POST`. */
  readonly repeatable?: boolean
  /** The body of the answer can take any time. */
  readonly streamed?: boolean
  readonly signal?: AbortSignal | undefined
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
/** Answers after which nothing was done, or after which it is unknown. */
const TEMPORARY = new Set([408, 429, 502, 503, 504])

/** Sends requests to one service with one key, and repeats requests that may be repeated. */
export class Connection {
  readonly wait: NonNullable<ClientOptions['wait']>
  readonly #url: string
  readonly #apiKey: string
  readonly #fetch: typeof globalThis.fetch
  readonly #retries: number
  readonly #timeoutMs: number

  /** @throws TypeError without a URL or key */
  constructor(options: ClientOptions) {
    this.#url = required(options.url, 'url', 'SPOOR_URL').replace(/\/+$/, '')
    this.#apiKey = required(options.apiKey, 'apiKey', 'SPOOR_API_KEY')
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#retries = options.retries ?? 3
    this.#timeoutMs = options.timeoutMs ?? 60_000
    this.wait = options.wait ?? pause
  }

  /**
   * Resolves with an answer of success.
   *
   * @throws ApiError for every other answer and if there was none; what `signal` was aborted with
   */
  async send(request: SentRequest): Promise<Response> {
    const repeatable = request.repeatable ?? request.method !== 'POST'
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#attempt(request)
      if (answer instanceof Response && answer.ok) return answer
      // 429 refuses the request before anything was done.
      const mayRepeat = answer instanceof ApiError ? repeatable : answer.status === 429 || repeatable
      const temporary = answer instanceof ApiError || TEMPORARY.has(answer.status)
      if (!temporary || !mayRepeat || attempt >= this.#retries) {
        throw answer instanceof ApiError ? answer : await toApiError(answer)
      }
      if (answer instanceof Response) await answer.body?.cancel()
      await this.wait(waitMs(answer, attempt), request.signal)
    }
  }

  /** One attempt with the key. No answer is an error as data: the caller may repeat. */
  async #attempt({ method, target, headers, body, streamed, signal }: SentRequest): Promise<Response | ApiError> {
    signal?.throwIfAborted()
    const limits = [...(signal ? [signal] : []), ...(streamed ? [] : [AbortSignal.timeout(this.#timeoutMs)])]
    try {
      return await this.#fetch(this.#url + target, {
        method,
        headers: { ...headers, 'x-api-key': this.#apiKey },
        ...(body !== undefined && { body }),
        ...(limits.length > 0 && { signal: AbortSignal.any(limits) }),
        // A redirect would carry the key to another host.
        redirect: 'manual',
      })
    } catch (cause) {
      signal?.throwIfAborted()
      return new ApiError(`No answer from ${this.#url}: ${String(cause)}`, { status: 0, code: 'no_answer' }, { cause })
    }
  }

  /** Sends bytes to a signed URL, without the key. */
  async put(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Blob,
    signal?: AbortSignal,
  ): Promise<Response> {
    const response = await this.#fetch(url, { method: 'PUT', headers, body, ...(signal && { signal }) })
    if (!response.ok) throw await toApiError(response)
    return response
  }
}

/** A little less than the doubled wait, at random, so that clients that failed together do not return together. */
export function backoffMs(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2)
}

function waitMs(answer: Response | ApiError, attempt: number): number {
  const seconds = answer instanceof Response ? Number(answer.headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : backoffMs(attempt)
}

function required(value: string | undefined, name: string, variable: string): string {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env
  const found = value ?? environment?.[variable]
  if (found === undefined || found === '') throw new TypeError(`Pass \`${name}\` or set ${variable}.`)
  return found
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
