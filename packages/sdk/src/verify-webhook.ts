import { parseEvent } from './parse-event.ts'
import { fromBase64, isSigned, requireSecrets, standardKey, toBytes } from './signature.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { requireHeader, type WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

export interface VerifyWebhookOptions {
  /** The raw body, not parsed and printed again. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** Several during a rotation; one must match. */
  readonly secret: string | readonly string[]
  /** Greatest difference between the time of the attempt and `now`, in either direction. Default: 300. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970 UTC. Default: the present. */
  readonly now?: number
}

/** More than the service sends; bounds the work that a hostile header causes. */
const MOST_SIGNATURES = 16

/**
 * Verifies by the headers of Standard Webhooks that the service signed the delivery recently with one of the secrets.
 * Returns its event.
 *
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { body, headers, toleranceSeconds = 300, now = Date.now() } = options
  const keys = requireSecrets(options.secret).map(standardKey)
  const id = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  checkTime(timestamp, now / 1000, toleranceSeconds)
  const signatures = readSignatures(requireHeader(headers, 'webhook-signature'))
  const content = joined(toBytes(`${id}.${timestamp}.`), toBytes(body))
  if (await isSigned(content, signatures, keys)) return parseEvent(body)
  throw new WebhookVerificationError('signature_mismatch', 'The signature matches no secret.')
}

function checkTime(timestamp: string, nowSeconds: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_header', 'The header webhook-timestamp must be a time in seconds.')
  }
  // The comparisons are false for NaN, which must be refused.
  const ageSeconds = nowSeconds - Number(timestamp)
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_old', `It was sent ${Math.round(ageSeconds)} s ago.`)
  }
  if (!(ageSeconds >= -toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_new', `It was sent ${Math.round(-ageSeconds)} s from now.`)
  }
}

/** The signatures of version 1. Other versions use keys that a receiver does not have. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  const texts = header.split(' ').filter((text) => text.startsWith('v1,'))
  return texts
    .slice(0, MOST_SIGNATURES)
    .map((text) => fromBase64(text.slice('v1,'.length)))
    .filter((bytes) => bytes !== null)
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
