import type { Http2Stream, IncomingHttpHeaders } from 'node:http2'
import { DomainError } from '../../../lib/domain-error.ts'
import { DECOMPRESSORS, KNOWN_ENCODINGS } from '../../bodies/content-encodings.ts'
import { type BodyRules, bodyChunks, tooLarge, withChunks } from '../../bodies/request-body.ts'

/** Whether the message is compressed, and its length in four bytes. */
const PREFIX_BYTES = 5

/** The compressions that clients may use for messages. */
export const ACCEPTED_ENCODINGS = 'identity,gzip,deflate,zstd'

interface GrpcCall {
  readonly stream: Http2Stream
  readonly headers: IncomingHttpHeaders
}

/** The one message of a unary call. */
export interface GrpcMessage {
  readonly stream: Http2Stream
  /** As it is sent, bytes. */
  readonly length: number
  /** As it is sent. */
  readonly chunks: AsyncIterable<Buffer>
  /** A known compression; null: none. */
  readonly encoding: string | null
}

/**
 * Reads the head of the message. Throws `bad_request` unless the call has exactly one whole message (`chunks` too), and
 * `unsupported_media_type` for a compression that is not known.
 */
export async function openMessage(
  { stream, headers }: GrpcCall,
  limitBytes: number,
  rules: BodyRules,
): Promise<GrpcMessage> {
  const sent = bodyChunks(stream, rules)
  const { prefix, rest } = await splitPrefix(sent)
  const [flag] = prefix
  if (prefix.length < PREFIX_BYTES || (flag !== 0 && flag !== 1)) {
    throw new DomainError('bad_request', 'The call has no message.')
  }
  const length = prefix.readUInt32BE(1)
  if (length > limitBytes) throw tooLarge(limitBytes)
  return { stream, length, chunks: exactly(rest, length), encoding: flag === 0 ? null : encodingOf(headers) }
}

/**
 * Reads the message like `withBody`: `limitBytes` counts what comes out of the decompressor, which stops there.
 * `owner`: of its bytes in the budget.
 */
export async function withMessage<T>(
  { stream, length, chunks, encoding }: GrpcMessage,
  owner: string,
  limitBytes: number,
  rules: BodyRules,
  use: (message: Buffer) => Promise<T>,
): Promise<T> {
  const decompressor = encoding === null ? null : (DECOMPRESSORS.get(encoding) ?? null)
  return withChunks({ source: stream, chunks, announcedBytes: length, decompressor, owner }, limitBytes, rules, use)
}

/** `rest` yields what follows. The prefix is shorter if the call ends before. */
async function splitPrefix(
  sent: AsyncGenerator<Buffer, void, undefined>,
): Promise<{ readonly prefix: Buffer; readonly rest: AsyncIterable<Buffer> }> {
  let found: Buffer = Buffer.alloc(0)
  while (found.length < PREFIX_BYTES) {
    const { value, done } = await sent.next()
    if (done === true) break
    found = found.length === 0 ? value : Buffer.concat([found, value])
  }
  return { prefix: found.subarray(0, PREFIX_BYTES), rest: after(found.subarray(PREFIX_BYTES), sent) }
}

async function* after(
  first: Buffer,
  sent: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  if (first.length > 0) yield first
  yield* sent
}

function encodingOf({ 'grpc-encoding': sent }: IncomingHttpHeaders): string {
  if (typeof sent === 'string' && DECOMPRESSORS.has(sent)) return sent
  throw new DomainError('unsupported_media_type', `A message can be compressed with ${KNOWN_ENCODINGS} only.`)
}

async function* exactly(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  let left = bytes
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw new DomainError('bad_request', 'The call has more than one message.')
    yield chunk
  }
  if (left > 0) throw new DomainError('bad_request', 'The message of the call is incomplete.')
}

/** A message as it is sent, not compressed. */
export function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}
