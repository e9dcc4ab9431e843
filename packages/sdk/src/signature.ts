import { WebhookVerificationError } from './webhook-verification-error.ts'

type Bytes = Uint8Array<ArrayBuffer>

const PREFIX = 'whsec_'
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

export function toBytes(body: string | Uint8Array): Bytes {
  return typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body)
}

/** Null if it is not base64. */
export function fromBase64(text: string): Bytes | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Requires one secret or more, none empty: an unset variable must not verify anything. */
export function requireSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one !== '')) return secrets
  throw new WebhookVerificationError('invalid_secret', 'A secret must be a non-empty string.')
}

/** The key of the Standard Webhooks signature: the base64 after `whsec_`, or the secret itself. */
export function standardKey(secret: string): Bytes {
  if (!secret.startsWith(PREFIX)) return toBytes(secret)
  const key = fromBase64(secret.slice(PREFIX.length))
  if (key !== null && key.length > 0) return key
  throw new WebhookVerificationError('invalid_secret', `After ${PREFIX} a secret must be base64.`)
}

/** Whether any signature was made with any of the keys. Web Crypto compares in constant time. */
export async function isSigned(content: Bytes, signatures: readonly Bytes[], keys: readonly Bytes[]): Promise<boolean> {
  for (const raw of keys) {
    const key = await crypto.subtle.importKey('raw', raw, HMAC, false, ['verify'])
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, content)) return true
  }
  return false
}
