import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { LIMIT_MS } from './eventually.ts'

interface TailEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** One connection to the tail, parsed like an EventSource. */
export interface Tail {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Complete events so far. */
  readonly events: readonly TailEvent[]
  /** Comments (heartbeats) so far. */
  readonly comments: readonly string[]
  /** All bytes so far. */
  readonly text: string
  /** The id to send when reconnecting; null before the first. */
  readonly lastEventId: string | null
  /** Resolves when `condition` holds after received bytes; rejects after LIMIT_MS or if the stream ends before. */
  until(condition: (tail: Tail) => boolean): Promise<void>
  /** Resolves when the connection has ended in any way. */
  readonly ended: Promise<void>
  close(): void
}

/** Resolves with the headers of the answer. Without a key, `headers` must authenticate. */
export function openTail(
  url: string,
  key: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Tail> {
  return new Promise((resolve, reject) => {
    const sent = { ...(key === null ? {} : { 'x-api-key': key }), accept: 'text/event-stream', ...headers }
    const outgoing = request(`${url}/v1/traces/tail`, { headers: sent, agent: false }, (incoming) => {
      const tail = new OpenTail(outgoing, incoming.statusCode ?? 0, incoming.headers)
      incoming.on('data', (chunk: Buffer) => tail.push(chunk))
      incoming.on('error', () => tail.end())
      incoming.on('close', () => tail.end())
      resolve(tail)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

class OpenTail implements Tail {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly events: TailEvent[] = []
  readonly comments: string[] = []
  readonly ended: Promise<void>
  text = ''
  lastEventId: string | null = null
  readonly #request: ClientRequest
  #rest = Buffer.alloc(0)
  #closed = false
  #resolveEnded: () => void = () => undefined
  #waiting = new Set<() => void>()

  constructor(outgoing: ClientRequest, status: number, headers: IncomingHttpHeaders) {
    this.#request = outgoing
    this.status = status
    this.headers = headers
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve))
  }

  push(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#rest, chunk])
    const end = bytes.lastIndexOf('\n\n')
    // A cut-off event does not count, as in an EventSource.
    this.#rest = end < 0 ? bytes : bytes.subarray(end + 2)
    if (end >= 0) for (const frame of bytes.toString('utf8', 0, end).split('\n\n')) this.#take(frame)
    this.text += chunk.toString()
    this.#wake()
  }

  end(): void {
    this.#closed = true
    this.#resolveEnded()
    this.#wake()
  }

  close(): void {
    this.#request.destroy()
    this.end()
  }

  async until(condition: (tail: Tail) => boolean): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    while (!condition(this)) {
      const left = deadline - performance.now()
      if (this.#closed || left <= 0) {
        const why = this.#closed ? 'the tail ended' : `${LIMIT_MS} ms passed`
        throw new Error(
          `${why} before what was waited for came; ${this.events.length} events, last id ${this.lastEventId}`,
        )
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left)
        const waiting = this.#waiting
        waiting.add(done)
        function done() {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
      })
    }
  }

  #take(frame: string): void {
    const fields = new Map<string, string>()
    for (const line of frame.split('\n')) {
      const colon = line.indexOf(':')
      if (colon === 0) this.comments.push(line.slice(1).trim())
      else if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
    }
    const id = fields.get('id')
    if (id !== undefined) this.lastEventId = id
    const data = fields.get('data')
    if (data !== undefined) this.events.push({ id: id ?? '', event: fields.get('event') ?? 'message', data })
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
