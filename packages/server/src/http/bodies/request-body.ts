import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ProjectId } from '@spoor/contract/ids'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import type { FastifyRequest } from 'fastify'
import type { ByteAccount, ByteBudget } from '../../lib/flow/byte-budget.ts'
import { ByteGate, type HeldBytes } from '../../lib/flow/byte-gate.ts'
import { onBehalfOf } from '../../lib/flow/requester.ts'
import { DomainError, refusalOf } from '../../lib/domain-error.ts'
import { freePassing, markPassing, markSole } from '../../lib/flow/passing-bytes.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { type Pace, Patience } from '../connections/pace.ts'
import { type Decompressor, decompressorOf } from './content-encodings.ts'
import { bytesRead } from './counted-bytes.ts'

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
  /** Where a body waits for its turn if the budget cannot hold it. Null: it is refused. */
  readonly room: ByteGate | null
  /** Where a compressed body that is refused is decompressed to learn whether it is too large. */
  readonly countingRoom: ByteGate
  /** Why a body of this many bytes cannot be accepted now, or null. Called before its first byte is read. */
  readonly refusal: (bytes: number) => DomainError | null
}

/** How long a body waits for room. Clients give up after about as long. */
const ROOM_WAIT_MS = 30_000

/** How long a body may take to arrive once it has room, which others wait for. */
const ROOM_ARRIVAL_MS = 60_000

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
      bytesRead(source, chunk.length)
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
 * announced length or the received bytes, and `queue_full` if the budget is exhausted and there is no room, or no turn
 * in it for a while. `use` may free the body (lib/flow/passing-bytes.ts) after reading it.
 *
 * A compressed body is decompressed, up to `limitBytes`. Throws `bad_request` if that is not possible. Senders repeat
 * what is refused as `queue_full`, so a compressed body is counted before: one that is too large is always
 * `payload_too_large`.
 */
export async function withBody<T>(
  request: Pick<FastifyRequest, 'raw' | 'principal'>,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
): Promise<T> {
  const source = request.raw
  const decompressor = decompressorOf(source.headers)
  refuseAnnouncedLength(source, limitBytes)
  const announcedBytes = announcedLength(source)
  const body = { source, chunks: bodyChunks(source, rules), announcedBytes, decompressor, owner: ownerOf(request) }
  return withChunks(body, limitBytes, rules, use)
}

/** A body in pieces, of whatever protocol. */
interface ChunkedBody {
  /** It closes when the client has disconnected. */
  readonly source: Readable
  /** As they are sent. */
  readonly chunks: AsyncIterable<Buffer>
  /** As it is sent. Null when unknown. */
  readonly announcedBytes: number | null
  readonly decompressor: Decompressor | null
  /** Of its bytes in the budget. */
  readonly owner: string
}

/** Like `withBody`, for a body whose announced length is within the limit. */
export async function withChunks<T>(
  { source, chunks, announcedBytes, decompressor, owner }: ChunkedBody,
  limitBytes: number,
  rules: BodyRules,
  use: (body: Buffer) => Promise<T>,
): Promise<T> {
  const reservation = new BodyReservation(rules.budget.account(owner), (bytes) =>
    waitForRoom(bytes, source, owner, rules),
  )
  let counting: HeldBytes | null = null
  try {
    const first = Math.min(limitBytes, UNANNOUNCED_BYTES)
    const known = decompressor === null ? announcedBytes : null
    const refusal =
      rules.refusal(known ?? 0) ??
      (await reservation.reserve(known ?? first, known ?? limitBytes).then(() => null, refusalOf))
    if (refusal !== null) {
      if (decompressor === null) throw refusal
      counting = await waitForRoom(first, source, owner, { ...rules, room: rules.countingRoom })
    }
    const body = decompressor === null ? chunks : decompressedChunks(chunks, decompressor, limitBytes, rules)
    return await use(await readBody(body, limitBytes, reservation, rules.timers, refusal))
  } finally {
    reservation.release()
    counting?.release()
  }
}

/**
 * The body as it arrives, decompressed. Throws if it cannot be accepted now, before anything of it is read:
 * `payload_too_large` by its Content-Length, `unsupported_media_type` by its encoding, or `rules.refusal`.
 */
export function admittedChunks(source: IncomingMessage, limitBytes: number, rules: BodyRules): AsyncIterable<Buffer> {
  const decompressor = decompressorOf(source.headers)
  refuseAnnouncedLength(source, limitBytes)
  const refusal = rules.refusal(announcedLength(source) ?? 0)
  if (refusal !== null) throw refusal
  const chunks = bodyChunks(source, rules)
  return decompressor === null ? chunks : decompressedChunks(chunks, decompressor, limitBytes, rules)
}

/** Throws `payload_too_large` by the Content-Length, before the body is read. */
function refuseAnnouncedLength(source: IncomingMessage, limitBytes: number): void {
  if ((announcedLength(source) ?? 0) > limitBytes) throw tooLarge(limitBytes)
}

/** Null for a chunked body. A request with neither header has no body. */
function announcedLength({ headers }: IncomingMessage): number | null {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : null
}

/**
 * What comes out of the decompressor. The connection stays open whatever happens, because an error is answered on it.
 * Throws `bad_request` if the chunks cannot be decompressed, `payload_too_large` for more than `limitBytes` of them,
 * and any error of theirs.
 */
async function* decompressedChunks(
  chunks: AsyncIterable<Buffer>,
  decompressor: Decompressor,
  limitBytes: number,
  rules: BodyRules,
): AsyncGenerator<Buffer, void, undefined> {
  const stream = decompressor()
  let failure: NodeJS.ErrnoException | null = null
  stream.on('error', (error) => (failure = error))
  const fed = pipeline(within(chunks, limitBytes), stream).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
  try {
    yield* bodyChunks(stream, rules)
  } catch (error) {
    // Destroyed by what feeds it: the cause is there.
    const cause = error instanceof ClientGone ? ((await fed) ?? failure) : null
    if (cause === null || !CANNOT_DECOMPRESS.test(cause.code ?? '')) throw cause ?? error
    throw new DomainError('bad_request', `The body cannot be decompressed: ${cause.message}.`, { cause })
  } finally {
    stream.destroy()
  }
}

const CANNOT_DECOMPRESS = /^(Z_|ZSTD_|ERR_TRAILING_JUNK)/

/** A compressed body may have any number of bytes from which nothing comes out. */
async function* within(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > limitBytes) throw tooLarge(limitBytes)
    yield chunk
  }
}

/** `refusal`: why the body cannot be accepted now. Then, and when memory ends, it is only counted. */
async function readBody(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  reservation: BodyReservation,
  timers: Timers,
  refusal: DomainError | null,
): Promise<Buffer> {
  let refused = refusal
  let body: Buffer = NO_BYTES
  let length = 0
  let enteredAt: number | null = null
  for await (const chunk of chunks) {
    if (reservation.isInRoom) {
      enteredAt ??= timers.now()
      if (timers.now() - enteredAt > ROOM_ARRIVAL_MS)
        throw tooSlow({ bytes: reservation.bytes, waitMs: ROOM_ARRIVAL_MS })
    }
    const needed = length + chunk.length
    if (needed > limitBytes) throw tooLarge(limitBytes)
    if (refused === null && needed > reservation.bytes) {
      refused = await reservation.reserve(needed, limitBytes).then(() => null, refusalOf)
    }
    if (refused !== null) {
      body = NO_BYTES
      reservation.shrink(Math.min(reservation.bytes, UNANNOUNCED_BYTES))
      freePassing(chunk)
    }
    // A small body arrives in one chunk, together with the headers.
    else if (length === 0 && needed === reservation.bytes) body = chunk
    else {
      if (body.length < needed) {
        const larger = Buffer.allocUnsafeSlow(reservation.bytes)
        body.copy(larger, 0, 0, length)
        body = larger
      }
      chunk.copy(body, length)
      freePassing(chunk)
    }
    length = needed
  }
  if (refused !== null) throw refused
  reservation.shrink(length)
  if (body.length > length) return markSole(body.subarray(0, length))
  markPassing(body)
  return body
}

const NO_BYTES = Buffer.alloc(0)

/** The bytes of one body, in the budget or, from some moment on, in the room. */
class BodyReservation {
  readonly #account: ByteAccount
  readonly #enter: (bytes: number) => Promise<HeldBytes>
  #room: HeldBytes | null = null
  #bytes = 0

  constructor(account: ByteAccount, enter: (bytes: number) => Promise<HeldBytes>) {
    this.#account = account
    this.#enter = enter
  }

  get bytes(): number {
    return this.#bytes
  }

  get isInRoom(): boolean {
    return this.#room !== null
  }

  /**
   * Reserves `needed` bytes; grows by doubling, up to `most`. A body that the budget cannot hold enters the room with
   * `most`, so it enters once.
   */
  async reserve(needed: number, most: number): Promise<void> {
    const wanted = Math.max(needed, Math.min(2 * this.#bytes, most))
    if (this.#account.tryTake(wanted - this.#bytes)) this.#bytes = wanted
    else {
      this.#room = await this.#enter(most)
      this.#account.release(this.#bytes)
      this.#bytes = most
    }
  }

  shrink(bytes: number): void {
    if (this.#room === null) this.#account.release(this.#bytes - bytes)
    else this.#room.keep(bytes)
    this.#bytes = bytes
  }

  release(): void {
    this.shrink(0)
  }
}

/**
 * Waits for a turn in the room. Rejects with `queue_full` if there is none, or no turn for a while, and with ClientGone
 * if the client disconnects.
 */
async function waitForRoom(bytes: number, source: Readable, owner: string, rules: BodyRules): Promise<HeldBytes> {
  const { room, timers } = rules
  if (room === null) throw noMemory()
  const waiting = new AbortController()
  const onClose = () => {
    // It closes too when all of it was read.
    if (!source.readableEnded) waiting.abort(new ClientGone('the client disconnected before its body was read'))
  }
  const cancel = timers.after(ROOM_WAIT_MS, () => waiting.abort(noMemory()))
  source.once('close', onClose)
  try {
    const requester = { kind: 'project', projectId: owner as ProjectId, signal: waiting.signal } as const
    return await onBehalfOf(requester, () => room.acquire(bytes))
  } finally {
    cancel()
    source.off('close', onClose)
  }
}

/** Holds a largest export of each of two projects: one whose body arrives slowly does not keep another one out. */
export function exportRoom(): ByteGate {
  return new ByteGate(2 * EXPORT_BYTES, noMemory)
}

/** Some 20 bodies at once, half of them of one project. */
export function countingRoom(): ByteGate {
  return new ByteGate(20 * UNANNOUNCED_BYTES, noMemory)
}

function noMemory(): DomainError {
  const detail = 'The service has no memory for another request body at the moment; try again.'
  return new DomainError('queue_full', detail, { retryAfterSeconds: 1 })
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
