import { parseEvent } from './parse-event.ts'
import { fromBase64, isSigned, requireSecrets, standardKey, toBytes } from './signature.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { requireHeader, type WebhookHeaders } from './webhook-headers.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

export interface VerifyWebhookOptions {
  /** The raw body, before anything has parsed it. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** Several while they are rotated: one that fits is enough. */
  readonly secret: string | readonly string[]
  /** How far the time of the attempt may be from now, either way. 300 unless given. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970 UTC; the present unless given. */
  readonly now?: number
}

/** More than a service sends: a hostile header buys no work. */
const MOST_SIGNATURES = 16

/**
 * The event of a delivery that the service has signed, a short while ago, with one of the secrets: by the headers of Standard Webhooks. Rejects with WebhookVerificationError for
 * anything else.
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
  throw new WebhookVerificationError('signature_mismatch', 'No secret has signed this.')
}

function checkTime(timestamp: string, nowSeconds: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_header', 'The header webhook-timestamp is no time in seconds.')
  }
  // Written so that a tolerance or a time that is no number refuses.
  const ageSeconds = nowSeconds - Number(timestamp)
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_old', `It was sent ${Math.round(ageSeconds)} s ago.`)
  }
  if (!(ageSeconds >= -toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_new', `It was sent ${Math.round(-ageSeconds)} s from now.`)
  }
}

/** Those of version 1; others are of keys that this side does not have. */
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
