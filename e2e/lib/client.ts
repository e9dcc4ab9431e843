import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Call {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON, not validated: a test that reads a missing field fails. */
  json<T = unknown>(): T
}

/** Plain HTTP without retries, decoding or checks, so that a test sees what the service sent. */
export interface Client {
  /** Rejects only if there is no complete answer. A body with an Expect header is sent when it is asked for. */
  call(call: Call): Promise<Answer>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  postTrace(body: object | Buffer | string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  append(traceId: string, lines: string | Buffer, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The same service with another key, over its own connections; null sends no key. */
  as(key: string | null): Client
  readonly url: string
  readonly key: string | null
  close(): void
}

/** Longer than any request may take, so that a hanging test names its request. */
const ANSWER_TIMEOUT_MS = 60_000

/** `always`: headers of every request. */
export function createClient(url: string, key: string | null, always: Readonly<Record<string, string>> = {}): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(url)

  function call({ method = 'GET', path, headers = {}, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...always,
        ...(body === undefined || 'transfer-encoding' in headers
          ? {}
          : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      }
      const outgoing = request({ hostname, port, agent, method, path, headers: sent }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const status = incoming.statusCode ?? 0
          resolve({ status, headers: incoming.headers, bytes, text, json: <T>() => JSON.parse(text) as T })
        })
      })
      outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => {
        outgoing.destroy(new Error(`${method} ${path} was not answered in ${ANSWER_TIMEOUT_MS} ms`))
      })
      outgoing.on('error', (error) => {
        reject(new Error(`${method} ${path.slice(0, 200)} was not answered: ${error.message}`, { cause: error }))
      })
      if (!('expect' in sent)) return outgoing.end(body)
      outgoing.on('continue', () => outgoing.end(body))
      outgoing.flushHeaders()
    })
  }

  return {
    call,
    url,
    key,
    get: (path, headers = {}) => call({ path, headers }),
    postTrace: (body, headers = {}) =>
      call({
        method: 'POST',
        path: '/v1/traces',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    append: (traceId, body, headers = {}) =>
      call({
        method: 'POST',
        path: `/v1/traces/${traceId}/steps`,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body,
      }),
    as: (otherKey) => createClient(url, otherKey),
    close: () => agent.destroy(),
  }
}
