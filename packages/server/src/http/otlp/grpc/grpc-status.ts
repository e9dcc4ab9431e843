import type { OutgoingHttpHeaders } from 'node:http2'
import { encodeRetryStatus, encodeStatus } from '../../../traces/otlp/wire/encode-answer.ts'
import type { ProblemAnswer } from '../../kernel/problem.ts'
import { errorMessage, grpcCodeOf, RETRY_AFTER_SECONDS } from '../otlp-answers.ts'

export const UNIMPLEMENTED = 12

/**
 * The status of a call that failed, as trailers. Exporters send again what is UNAVAILABLE, DEADLINE_EXCEEDED or the
 * like; with RetryInfo only after its time. RESOURCE_EXHAUSTED is not used: some exporters always repeat it, others
 * never.
 */
export function errorTrailers(problem: ProblemAnswer): OutgoingHttpHeaders {
  const { status } = problem
  const message = errorMessage(problem)
  // A compression that is not known, as the protocol of gRPC asks.
  const code = status === 415 ? UNIMPLEMENTED : grpcCodeOf(status)
  const retryAfter = status === 503 ? RETRY_AFTER_SECONDS : Number(problem.headers['retry-after'] ?? 0)
  const details = retryAfter > 0 ? encodeRetryStatus(code, message, retryAfter) : encodeStatus(code, message)
  return {
    'grpc-status': String(code),
    'grpc-message': percentEncoded(message),
    'grpc-status-details-bin': details.toString('base64'),
  }
}

/** As `grpc-message` is sent: all but printable ASCII and `%` itself as `%XX` of its UTF-8 bytes. */
export function percentEncoded(message: string): string {
  return Array.from(Buffer.from(message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
