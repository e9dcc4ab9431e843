/**
 * Why a request is not taken for a delivery. `missing_header`, `invalid_header`: it lacks what a delivery has. `timestamp_too_old`, `timestamp_too_new`: it was sent longer ago than is
 * tolerated, or the clocks differ. `invalid_secret`: what was passed as one is none. `signature_mismatch`: no secret has signed this. `invalid_body`: it was signed, and is no event.
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
