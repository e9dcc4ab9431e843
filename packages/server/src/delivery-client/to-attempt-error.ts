import type { SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import { ConnectError } from './connect-error.ts'

/** The attempt's error for an error of undici. */
export function toAttemptError(
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
