import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import type { AttemptResponse } from '../ports/webhooks/delivery.ts'
import { ConnectError } from './connect-error.ts'

const BODY_BYTES = 16 * 1024
const MOST_HEADERS = 64
const HEADER_CHARACTERS = 1024
/** Informational answers such as `103 Early Hints` may come before the real one. */
const MOST_INFORMATIONAL = 16

export interface ExchangeEnd extends SendOutcome {
  /** Whether the answer was read to its end, so that its connection is kept. */
  readonly isComplete: boolean
  /** Whether the connection ended before any answer, an informational one included. */
  readonly wasClosedUnanswered: boolean
}

/** One request and the beginning of its answer. Ends once, and closes the connection unless the answer is complete. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #ended: (end: ExchangeEnd) => void
  #controller: Dispatcher.DispatchController | null = null
  #status: number | null = null
  #informational = 0
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #isEnded = false

  constructor(ended: (end: ExchangeEnd) => void) {
    this.#ended = ended
  }

  /** Describes what did not come in time. */
  get awaited(): string {
    return this.#status === null ? 'no answer came' : 'the answer did not end'
  }

  /** Ends the exchange with the part of the answer that has come. */
  fail(error: NonNullable<SendOutcome['error']>): void {
    this.#end(error, false)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It may have ended while the connection was made: then nothing is sent.
    if (this.#isEnded) controller.abort(new Error('ended'))
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
    const free = BODY_BYTES - this.#bytes
    this.#bytes += chunk.length
    // A copy: the chunk is a view of a much larger buffer.
    if (free > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, free)))
    if (this.#bytes > BODY_BYTES) this.#end(null, false)
  }

  onResponseEnd(): void {
    this.#end(null, true)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(toAttemptError(error, this.#status !== null), false)
  }

  #end(error: SendOutcome['error'], isComplete: boolean): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (!isComplete) this.#controller?.abort(new Error('ended'))
    const isUnanswered = this.#status === null && this.#informational === 0
    const wasClosedUnanswered = isUnanswered && error?.code === 'connection_failed'
    this.#ended({ response: this.#response(), error, isComplete, wasClosedUnanswered })
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
  // oxlint-disable-next-line no-control-regex -- it removes them
  return value.slice(0, HEADER_CHARACTERS).replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}

/** The attempt's error for an error of undici. */
function toAttemptError(
  error: Error & { readonly code?: unknown },
  hasAnswered: boolean,
): NonNullable<SendOutcome['error']> {
  if (error instanceof ConnectError) return { code: error.attemptCode, detail: error.message }
  const code = String(error.code)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { code: 'bad_response', detail: 'the headers are too large' }
  // Errors of the parser have no common code.
  const isOfParser = error.name === 'HTTPParserError' || /^UND_ERR_(RES|INFO)/.test(code)
  if (isOfParser || /^bad (response|upgrade)$/.test(error.message)) {
    return { code: 'bad_response', detail: 'what came back is no HTTP/1.1 response' }
  }
  return {
    code: 'connection_failed',
    detail: hasAnswered ? 'the connection was closed within the answer' : 'the connection was closed without an answer',
  }
}
