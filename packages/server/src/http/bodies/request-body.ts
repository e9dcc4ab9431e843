import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { ByteAccount, ByteBudget } from '../../lib/work/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { freePassing, markPassing } from '../../lib/work/passing-bytes.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { type Pace, Patience } from '../connections/pace.ts'

/** The client went away before its body was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyRules {
  readonly timers: Timers
  /** A body that arrives more slowly is given up. */
  readonly pace: Pace
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

/** What owns the bytes of a request in the budget: its project, or all requests without a key together. */
export function ownerOf({ principal }: Pick<FastifyRequest, 'principal'>): string {
  return principal?.projectId ?? 'without a key'
}

/** The body as it arrives. Throws `request_timeout` when it is too slow and ClientGone when the client went away. */
export async function* bodyChunks(source: Readable, rules: BodyRules): AsyncGenerator<Buffer, void, undefined> {
  letContinue(source)
  const patience = new Patience(rules.pace)
  for (;;) {
    const chunk = source.read() as Buffer | null
    if (chunk !== null) {
      patience.moved(chunk.length)
      markPassing(chunk)
      yield chunk
    } else {
      if (source.readableEnded) return
      if (source.destroyed) throw new ClientGone('the client went away before its body was complete')
      await somethingArrives(source, rules, patience)
    }
  }
}

/**
 * Reads a whole body, hands it to `use` and holds its bytes against the budget until that has ended. Before the first byte is read, it asks
 * `rules.refusal` and takes room for the announced length. Throws `payload_too_large` by the announced length and by the bytes that arrived,
 * `queue_full` when the bodies of all requests hold too much. `use` may free the body (lib/work/passing-bytes.ts) once it has read it.
 */
export async function withBody<T>(
  request: Pick<FastifyRequest, 'raw' | 'principal'>,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
): Promise<T> {
  const source = request.raw
  admitBody(source, limitBytes, rules)
  const account = rules.budget.account(ownerOf(request))
  const room = new BodyRoom(account, announcedLength(source) ?? Math.min(limitBytes, UNANNOUNCED_BYTES))
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
  readonly #account: ByteAccount
  #bytes = 0

  constructor(account: ByteAccount, bytes: number) {
    this.#account = account
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
    this.#account.release(this.#bytes - bytes)
    this.#bytes = bytes
  }

  release(): void {
    this.shrink(0)
  }

  #take(more: number): void {
    if (!this.#account.tryTake(more)) {
      throw new DomainError('queue_full', 'There is no room in memory for another request body; try again.', {
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

function somethingArrives(source: Readable, { timers, pace }: BodyRules, patience: Patience): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const began = timers.now()
  const cancel = timers.after(patience.leftMs, () => finish(tooSlow(pace)))
  const arrived = () => finish()
  const finish = (error?: Error) => {
    cancel()
    patience.waited(timers.now() - began)
    for (const event of EVENTS) source.off(event, arrived)
    if (error === undefined) resolve()
    else reject(error)
  }
  for (const event of EVENTS) source.on(event, arrived)
  return promise
}

function tooSlow({ bytes, waitMs }: Pace): DomainError {
  const least = bytes === 1 ? 'No byte' : `Less than ${bytes} bytes`
  return new DomainError('request_timeout', `${least} of the body arrived in ${waitMs / 1000} seconds.`)
}

const EVENTS = ['readable', 'end', 'error', 'close'] as const
