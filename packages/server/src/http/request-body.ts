import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import { freePassing, markPassing } from '../lib/passing-bytes.ts'
import type { Timers } from '../lib/timers.ts'

/** The client went away before its body was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyRules {
  readonly timers: Timers
  /** A body of which no byte arrives for this long, while it is waited for, has ended. */
  readonly stallMs: number
  /** Bounds what the bodies of all requests hold together. */
  readonly budget: ByteBudget
  /** Why a body of this many bytes cannot be taken now, or null. Asked before its first byte is read. */
  readonly refusal: (bytes: number) => DomainError | null
}

/** Room taken for a body that announces no length, bytes. A larger one takes more as it arrives. */
const UNANNOUNCED_BYTES = 256 * 1024

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>()

/** So that a client that asks first learns of a refusal before it sends the body. To be registered for `checkContinue`. */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response)
}

/** The body as it arrives. Throws `request_timeout` when it stalls and ClientGone when the client went away. */
export async function* bodyChunks(source: Readable, rules: BodyRules): AsyncGenerator<Buffer, void, undefined> {
  letContinue(source)
  for (;;) {
    const chunk = source.read() as Buffer | null
    if (chunk !== null) {
      markPassing(chunk)
      yield chunk
    } else {
      if (source.readableEnded) return
      if (source.destroyed) throw new ClientGone('the client went away before its body was complete')
      await somethingArrives(source, rules)
    }
  }
}

/**
 * Reads a whole body, hands it to `use` and holds its bytes against the budget until that has ended. Before the first byte is read, it asks
 * `rules.refusal` and takes room for the announced length. Throws `payload_too_large` by the announced length and by the bytes that arrived,
 * `queue_full` when the bodies of all requests hold too much. `use` may free the body (lib/passing-bytes.ts) once it has read it.
 */
export async function withBody<T>(
  source: IncomingMessage,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
): Promise<T> {
  admitBody(source, limitBytes, rules)
  const room = new BodyRoom(rules.budget, announcedLength(source) ?? Math.min(limitBytes, UNANNOUNCED_BYTES))
  try {
    return await use(await readBody(source, limitBytes, rules, room))
  } finally {
    room.release()
  }
}

/** Throws when the body cannot be taken now: `payload_too_large` by its Content-Length, else what `rules.refusal` says. Reads nothing. */
export function admitBody(source: IncomingMessage, limitBytes: number, rules: BodyRules): void {
  refuseAnnouncedLength(source, limitBytes)
  const refusal = rules.refusal(announcedLength(source) ?? 0)
  if (refusal !== null) throw refusal
}

/** By its Content-Length, before a byte of it is read. */
export function refuseAnnouncedLength(source: IncomingMessage, limitBytes: number): void {
  if ((announcedLength(source) ?? 0) > limitBytes) throw tooLarge(limitBytes)
}

/** Null for a chunked body. A request without either header has no body. */
function announcedLength({ headers }: IncomingMessage): number | null {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : null
}

async function readBody(source: Readable, limitBytes: number, rules: BodyRules, room: BodyRoom): Promise<Buffer> {
  let body: Buffer = NO_BYTES
  let length = 0
  for await (const chunk of bodyChunks(source, rules)) {
    const needed = length + chunk.length
    if (needed > limitBytes) throw tooLarge(limitBytes)
    room.reserve(needed, limitBytes)
    // Small bodies arrive whole, with their head.
    if (length === 0 && needed === room.bytes) body = chunk
    else {
      if (body.length < needed) body = moved(body, length, room.bytes)
      chunk.copy(body, length)
      freePassing(chunk)
    }
    length = needed
  }
  room.shrink(length)
  if (body.length === length) markPassing(body)
  return body.subarray(0, length)
}

const NO_BYTES = Buffer.alloc(0)

/** A larger buffer that begins with the same bytes. */
function moved(body: Buffer, length: number, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(bytes)
  body.copy(larger, 0, 0, length)
  return larger
}

/** What one body holds of the budget. Throws `queue_full` when there is no room for it. */
class BodyRoom {
  readonly #budget: ByteBudget
  #bytes = 0

  constructor(budget: ByteBudget, bytes: number) {
    this.#budget = budget
    this.#take(bytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Makes room for `needed` bytes, doubling up to `limitBytes` when it must grow. */
  reserve(needed: number, limitBytes: number): void {
    if (needed > this.#bytes) this.#take(Math.max(needed, Math.min(2 * this.#bytes, limitBytes)) - this.#bytes)
  }

  shrink(bytes: number): void {
    this.#budget.release(this.#bytes - bytes)
    this.#bytes = bytes
  }

  release(): void {
    this.shrink(0)
  }

  #take(more: number): void {
    if (!this.#budget.tryTake(more)) {
      throw new DomainError('queue_full', 'The service holds as many request bodies as it may; try again.', {
        retryAfterSeconds: 1,
      })
    }
    this.#bytes += more
  }
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${limitBytes} bytes.`)
}

function letContinue(source: Readable): void {
  const response = waitingForContinue.get(source as IncomingMessage)
  if (response === undefined) return
  waitingForContinue.delete(source as IncomingMessage)
  response.writeContinue()
}

function somethingArrives(source: Readable, rules: BodyRules): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = rules.timers.after(rules.stallMs, () => {
    const seconds = Math.round(rules.stallMs / 1000)
    finish(new DomainError('request_timeout', `No byte of the body arrived for ${seconds} seconds.`))
  })
  const arrived = () => finish()
  const finish = (error?: Error) => {
    cancel()
    for (const event of EVENTS) source.off(event, arrived)
    if (error === undefined) resolve()
    else reject(error)
  }
  for (const event of EVENTS) source.on(event, arrived)
  return promise
}

const EVENTS = ['readable', 'end', 'error', 'close'] as const
