import type { RandomBytes } from '../../lib/ids/random.ts'

/**
 * The secret format of Standard Webhooks:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const MADE_BYTES = 32

export function newSigningSecret(randomBytes: RandomBytes): string {
  return `${PREFIX}${Buffer.from(randomBytes(MADE_BYTES)).toString('base64')}`
}

/** Why the secret of a client is invalid, or null. The schema checks its length. */
export function secretProblem(secret: string): string | null {
  if (/\p{C}|(?! )\p{Z}/u.test(secret)) return 'A secret may contain printable characters only.'
  const isStandard = secret.startsWith(PREFIX)
  if (isStandard && !BASE64.test(secret.slice(PREFIX.length)))
    return `After ${PREFIX} a secret must be base64 with padding.`
  return null
}

/** The key of the Standard Webhooks signature. */
export function standardKey(secret: string): Uint8Array {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8')
}
