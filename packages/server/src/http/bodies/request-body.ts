import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { ByteAccount, ByteBudget } from '../../lib/flow/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { freePassing, markPassing } from '../../lib/flow/passing-bytes.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { type Pace, Patience } from '../connections/pace.ts'

/** The client disconnected, so nobody receives an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyRules {
  readonly timers: Timers
  /** A body that arrives more slowly is refused. */
  readonly pace: Pace
  /** Bounds the bytes of all request bodies in memory. */
  readonly budget: ByteBudget
  /** Why a body of this many bytes cannot be accepted now, or null. Called before its first byte is read. */
  readonly refusal: (bytes: number) => DomainError | null
}

/** Bytes reserved for a body without a Content-Length. A larger body reserves more as it arrives. */
const UNANNOUNCED_BYTES = 256 * 1024

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>()

/** A listener for `checkContinue`: a client that waits for 100 Continue gets a refusal before it sends the body. */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response)
}

/** The owner of a request's bytes in the budget: its project, or one owner for all requests without a key. */
export function ownerOf({ principal }: Pick<FastifyRequest, 'principal'>): string {
  return principal?.projectId ?? 'without a key'
}

/** The body as it arrives. Throws `request_timeout` if it is too slow and ClientGone if the client disconnects. */
export async function* bodyChunks(source: Readable, rules: BodyRules): AsyncGenerator<Buffer, void, undefined> {
  sendContinue(source)
  const patience = new Patience(rules.pace)
  for (;;) {
    const chunk = source.read() as Buffer | null
    if (chunk !== null) {
      patience.moved(chunk.length)
      markPassing(chunk)
      yield chunk
    } else {
      if (source.readableEnded) return
      if (source.destroyed) throw new ClientGone('the client disconnected before its body was complete')
      await nextArrival(source, rules, patience)
    }
  }
}

/**
 * Reads a whole body, passes it to `use` and charges its bytes to the budget until `use` has ended. Before the first
 * byte is read, it calls `rules.refusal` and reserves the announced length. Throws `payload_too_large` for the
 * announced length or the received bytes, and `queue_full` if the budget is exhausted. `use` may free the body
 * (lib/flow/passing-bytes.ts) after reading it.
 *
 * `decompressor`: makes the stream that decompresses the body. Then `limitBytes` counts what comes out of it, and it
 * stops there. Throws `bad_request` if it cannot be decompressed.
 */
export async function withBody<T>(
  request: Pick<FastifyRequest, 'raw' | 'principal'>,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
  decompressor: (() => Transform) | null = null,
): Promise<T> {
  const source = request.raw
  admitBody(source, limitBytes, rules)
  const account = rules.budget.account(ownerOf(request))
  const announced = decompressor === null ? announcedLength(source) : null
  const reservation = new BodyReservation(account, announced ?? Math.min(limitBytes, UNANNOUNCED_BYTES))
  try {
    const body =
      decompressor === null
        ? await readBody(source, limitBytes, rules, reservation)
        : await decompressed(source, decompressor(), (plain) => readBody(plain, limitBytes, rules, reservation))
    return await use(body)
  } finally {
    reservation.release()
  }
}

/**
 * Throws if the body cannot be accepted now: `payload_too_large` by its Content-Length, or `rules.refusal`. Reads
 * nothing.
 */
export function admitBody(source: IncomingMessage, limitBytes: number, rules: BodyRules): void {
  refuseAnnouncedLength(source, limitBytes)
  const refusal = rules.refusal(announcedLength(source) ?? 0)
  if (refusal !== null) throw refusal
}

/** Throws `payload_too_large` by the Content-Length, before the body is read. */
export function refuseAnnouncedLength(source: IncomingMessage, limitBytes: number): void {
  if ((announcedLength(source) ?? 0) > limitBytes) throw tooLarge(limitBytes)
}

/** Null for a chunked body. A request with neither header has no body. */
function announcedLength({ headers }: IncomingMessage): number | null {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : null
}

/** Reads what comes out of `stream`. The connection stays open whatever happens, because an error is answered on it. */
async function decompressed(
  source: IncomingMessage,
  stream: Transform,
  read: (plain: Transform) => Promise<Buffer>,
): Promise<Buffer> {
  sendContinue(source)
  let failure: Error | null = null
  stream.on('error', (error) => (failure = error))
  // It also closes when all of it has arrived.
  const gone = () => {
    if (!source.complete) stream.destroy()
  }
  source.once('close', gone)
  source.pipe(stream)
  try {
    return await read(stream)
  } catch (error) {
    const cause = failure as NodeJS.ErrnoException | null
    if (error instanceof DomainError || cause?.code?.startsWith('Z_') !== true) throw error
    throw new DomainError('bad_request', `The body cannot be decompressed: ${cause.message}.`, { cause })
  } finally {
    source.unpipe(stream)
    source.off('close', gone)
    stream.destroy()
  }
}

async function readBody(
  source: Readable,
  limitBytes: number,
  rules: BodyRules,
  reservation: BodyReservation,
): Promise<Buffer> {
  let body: Buffer = NO_BYTES
  let length = 0
  for await (const chunk of bodyChunks(source, rules)) {
    const needed = length + chunk.length
    if (needed > limitBytes) throw tooLarge(limitBytes)
    reservation.reserve(needed, limitBytes)
    // A small body arrives in one chunk, together with the headers.
    if (length === 0 && needed === reservation.bytes) body = chunk
    else {
      if (body.length < needed) body = grown(body, length, reservation.bytes)
      chunk.copy(body, length)
      freePassing(chunk)
    }
    length = needed
  }
  reservation.shrink(length)
  if (body.length === length) markPassing(body)
  return body.subarray(0, length)
}

const NO_BYTES = Buffer.alloc(0)

/** A larger buffer that starts with the same bytes. */
function grown(body: Buffer, length: number, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(bytes)
  body.copy(larger, 0, 0, length)
  return larger
}

/** The bytes of one body in the budget. Throws `queue_full` if the budget is exhausted. */
class BodyReservation {
  readonly #account: ByteAccount
  #bytes = 0

  constructor(account: ByteAccount, bytes: number) {
    this.#account = account
    this.#take(bytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Reserves `needed` bytes; grows by doubling, up to `limitBytes`. */
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
      throw new DomainError(
        'queue_full',
        'The service has no memory for another request body at the moment; try again.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    this.#bytes += more
  }
}

export function tooLarge(limitBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${limitBytes} bytes.`)
}

function sendContinue(source: Readable): void {
  const response = waitingForContinue.get(source as IncomingMessage)
  if (response === undefined) return
  waitingForContinue.delete(source as IncomingMessage)
  response.writeContinue()
}

function nextArrival(source: Readable, { timers, pace }: BodyRules, patience: Patience): Promise<void> {
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
