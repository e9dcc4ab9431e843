import { parseEvent } from './parse-event.ts'
import { isSigned, requireSecrets, toBytes } from './signature.ts'
import type { VerifyWebhookOptions } from './verify-webhook.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { requireHeader } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * The event of a delivery by `x-service-signature` alone: HMAC-SHA256 of the raw body with the newest secret. There is no time in it, so it holds for ever: prefer `verifyWebhook`.
 * Rejects with WebhookVerificationError.
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
      'The header x-service-signature is not sha256= and lowercase hex.',
    )
  }
  const signature = Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  )
  if (await isSigned(toBytes(body), [signature], keys)) return parseEvent(body)
  throw new WebhookVerificationError('signature_mismatch', 'No secret has signed this.')
}
