import { PROTOBUF_TYPE } from '@spoor/contract/otlp'
import type { FastifyReply } from 'fastify'
import type { OtlpEncoding } from '../../traces/otlp/otlp-encoding.ts'
import { encodeExportResponse, encodeStatus } from '../../traces/otlp/wire/encode-answer.ts'
import type { ProblemAnswer } from '../kernel/problem.ts'

const JSON_TYPE = 'application/json'

/** Codes of gRPC by HTTP status. */
const GRPC_CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 408: 4, 429: 14, 503: 14 }
const INVALID_ARGUMENT = 3
const INTERNAL = 13

/** Seconds after which a client may repeat what an overloaded service refused: exporters wait no longer than a few. */
export const RETRY_AFTER_SECONDS = 1

/**
 * The code of gRPC of a status of HTTP. A client error without a code of its own is an invalid argument, which
 * exporters do not send again; any other error is internal.
 */
export function grpcCodeOf(status: number): number {
  return GRPC_CODES[status] ?? (status < 500 ? INVALID_ARGUMENT : INTERNAL)
}

/** Bytes of an error message in an answer: less than 4 KiB. */
const MESSAGE_BYTES = 4000

/** The names of the refused items in the JSON answers of the three signals. */
export type RejectedName = 'rejectedSpans' | 'rejectedDataPoints' | 'rejectedLogRecords'

/** An answer of the status 200. */
export function sendExportResponse(
  reply: FastifyReply,
  encoding: OtlpEncoding,
  name: RejectedName,
  rejected: number,
  reason: string,
): FastifyReply {
  const message = cut(reason)
  if (encoding === 'protobuf') return reply.type(PROTOBUF_TYPE).send(encodeExportResponse(rejected, message))
  const isWhole = rejected === 0 && message === ''
  const answer = isWhole ? {} : { partialSuccess: { [name]: String(rejected), errorMessage: message } }
  return reply.type(JSON_TYPE).send(JSON.stringify(answer))
}

/**
 * An error as `google.rpc.Status`. Exporters repeat a request that is answered 503, if they need not wait longer than
 * their own limit.
 */
export function sendOtlpError(reply: FastifyReply, encoding: OtlpEncoding, problem: ProblemAnswer): void {
  const { status, headers, body } = problem
  const code = grpcCodeOf(status)
  const message = errorMessage(problem)
  void reply
    .code(status)
    .headers({
      ...headers,
      ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
      'content-type': encoding === 'protobuf' ? PROTOBUF_TYPE : JSON_TYPE,
      'x-request-id': body.request_id,
    })
    .send(encoding === 'protobuf' ? encodeStatus(code, message) : JSON.stringify({ code, message }))
}

export function errorMessage({ body }: ProblemAnswer): string {
  return cut(`${body.code}: ${body.detail}`)
}

export function cut(message: string): string {
  const bytes = Buffer.from(message)
  return bytes.length <= MESSAGE_BYTES
    ? message
    : `${bytes.toString('utf8', 0, MESSAGE_BYTES - 3).replace(/\ufffd$/, '')}…`
}
