import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AttemptResponse } from '../ports/webhooks/delivery.ts'
import type { SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import { toAttemptError } from './to-attempt-error.ts'

const BODY_BYTES = 16 * 1024
const MOST_HEADERS = 64
const HEADER_CHARACTERS = 1024
/** Answers such as `103 Early Hints` may come before the real one; a flood of them is none. */
const MOST_INFORMATIONAL = 16

export interface ExchangeEnd extends SendOutcome {
  /** Whether the connection can carry another request. */
  readonly isReusable: boolean
  /** Whether nothing at all was answered before the connection ended. */
  readonly wasClosedUnanswered: boolean
}

/** One request and its answer, of which the beginning is kept. Ends once; whatever comes later is left out. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #ended: (end: ExchangeEnd) => void
  #status: number | null = null
  #informational = 0
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #isEnded = false

  constructor(ended: (end: ExchangeEnd) => void) {
    this.#ended = ended
  }

  /** In words, for who waited too long for it. */
  get awaited(): string {
    return this.#status === null ? 'no answer came' : 'the answer did not end'
  }

  /** Ends it here. What has come of an answer is kept. */
  fail(error: NonNullable<SendOutcome['error']>): void {
    this.#end(error, false)
  }

  onRequestStart(): void {
    // Required of every handler.
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) {
      this.#status = status
      this.#headers = keptHeaders(headers)
    } else if (++this.#informational > MOST_INFORMATIONAL) {
      this.fail({ code: 'bad_response', detail: 'the answer did not get beyond informational statuses' })
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isEnded) return
    const room = BODY_BYTES - this.#bytes
    this.#bytes += chunk.length
    // A copy: the chunk is a view of a buffer that is many times as large.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)))
    if (this.#bytes > BODY_BYTES) this.#end(null, false)
  }

  onResponseEnd(): void {
    this.#end(null, true)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(toAttemptError(error, this.#status !== null), false)
  }

  #end(error: SendOutcome['error'], isReusable: boolean): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const isUnanswered = this.#status === null && this.#informational === 0
    const wasClosedUnanswered = isUnanswered && error?.code === 'connection_failed'
    this.#ended({ response: this.#response(), error, isReusable, wasClosedUnanswered })
  }

  #response(): AttemptResponse | null {
    if (this.#status === null) return null
    const body = Buffer.concat(this.#chunks).toString('utf8')
    return { status: this.#status, headers: this.#headers, body, truncated: this.#bytes > BODY_BYTES }
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MOST_HEADERS)
      .map(([name, value]) => [
        name.toLowerCase().slice(0, HEADER_CHARACTERS),
        sanitized(Array.isArray(value) ? value.join(', ') : (value ?? '')),
      ]),
  )
}

function sanitized(value: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return value.slice(0, HEADER_CHARACTERS).replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}
