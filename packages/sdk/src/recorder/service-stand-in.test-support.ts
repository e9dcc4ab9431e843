import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRecorder } from './create-recorder.ts'
import type { Recorder } from './recorder.ts'
import type { RecorderOptions } from './recorder-options.ts'

export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number }
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
}

interface Taken {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: unknown
}

/** An answer of the stand-in. `cut`: the connection is cut. `hang`: there is no answer. */
type Answer =
  { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object } | 'cut' | 'hang'

/** Takes records as the service does, or fails as configured. */
export class ServiceStandIn {
  readonly #server = createServer((request, response) => void this.#take(request, response))
  /** The requests that it has answered with 2xx, in order. */
  readonly taken: Taken[] = []
  attempts = 0
  /** For each request, before it is taken. Null: it is taken. */
  answer: (path: string, body: string, attempt: number) => Answer | null = () => null

  /** One that sends here, without a folder, unless `options` say otherwise. */
  recorder(warnings: string[], options: RecorderOptions): Recorder {
    const defaults = { url: this.url, apiKey: 'key', spoolDir: '' }
    return createRecorder({ ...defaults, onWarning: (text) => warnings.push(text), ...options })
  }

  static async start(): Promise<ServiceStandIn> {
    const standIn = new ServiceStandIn()
    await once(standIn.#server.listen(0, '127.0.0.1'), 'listening')
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** All spans that it has taken. */
  get spans(): readonly SentSpan[] {
    return this.taken
      .filter(({ path }) => path === '/otlp/v1/traces')
      .flatMap(({ body }) => (body as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  }

  span(name: string): SentSpan & { readonly facts: Readonly<Record<string, string>> } {
    const found = this.spans.filter((one) => one.name === name)
    const [span] = found
    if (span === undefined || found.length > 1) throw new Error(`${found.length} spans are named ${name}`)
    return { ...span, facts: Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue])) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const answer = this.answer(path, text, ++this.attempts)
    if (answer === 'hang') return
    if (answer === 'cut') return void request.socket.destroy()
    const { status, headers = {}, body } = answer ?? { status: 200 }
    if (status < 300) {
      const { method = '' } = request
      this.taken.push({ method, path, key: String(request.headers['x-api-key']), body: JSON.parse(text) as unknown })
    }
    const usual = path === '/v1/metrics/events' ? { errors: false, results: [] } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? usual))
  }
}
