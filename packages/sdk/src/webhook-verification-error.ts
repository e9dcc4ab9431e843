/**
 * Why a request was not verified.
 *
 * - `missing_header`, `invalid_header`: it has not the headers of a delivery.
 * - `timestamp_too_old`, `timestamp_too_new`: it was sent too long ago, or the clocks differ.
 * - `invalid_secret`: a given secret is invalid.
 * - `signature_mismatch`: the signature matches no secret.
 * - `invalid_body`: the signature matches, but the body is no event.
 */
export type WebhookVerificationErrorCode =
  | 'missing_header'
  | 'invalid_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'invalid_secret'
  | 'signature_mismatch'
  | 'invalid_body'

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
