import { parseEvent } from './parse-event.ts'
import { isSigned, requireSecrets, toBytes } from './signature.ts'
import type { VerifyWebhookOptions } from './verify-webhook.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { requireHeader } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * Verifies a delivery by `x-service-signature` only: HMAC-SHA256 of the raw body with the newest secret. Returns its
 * event. The signature contains no time and never expires, so prefer `verifyWebhook`.
 *
 * @throws WebhookVerificationError
 */
export async function verifyServiceSignature({
  body,
  headers,
  secret,
}: Pick<VerifyWebhookOptions, 'body' | 'headers' | 'secret'>): Promise<WebhookEvent> {
  const keys = requireSecrets(secret).map(toBytes)
  const [, hex] = /^sha256=((?:[0-9a-f]{2})+)$/.exec(requireHeader(headers, 'x-service-signature')) ?? []
  if (hex === undefined) {
    throw new WebhookVerificationError(
      'invalid_header',
      'The header x-service-signature must be sha256= and lowercase hex.',
    )
  }
  const signature = Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  )
  if (await isSigned(toBytes(body), [signature], keys)) return parseEvent(body)
  throw new WebhookVerificationError('signature_mismatch', 'The signature matches no secret.')
}
