import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AttachmentId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { idFromBytes, idToBytes } from '../lib/ids/typeid.ts'

/** Prevents this signature from being accepted for anything else signed with the same key. */
const PURPOSE = 'spoor direct upload 1'
const ID_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32
const TOKEN_BYTES = ID_BYTES + TIME_BYTES + MAC_BYTES

/**
 * Which announced upload, until when (milliseconds), and a MAC over both: 72 characters that need no escaping in a URL.
 */
export function signUploadToken(key: Uint8Array, id: AttachmentId, expiresAt: number): string {
  const claim = Buffer.alloc(ID_BYTES + TIME_BYTES)
  claim.set(idToBytes(id))
  claim.writeUIntBE(expiresAt, ID_BYTES, TIME_BYTES)
  return Buffer.concat([claim, macOf(key, claim)]).toString('base64url')
}

/**
 * Throws `upload_url_invalid` for a token that was not signed with this key, to the last character, and
 * `upload_url_expired`.
 */
export function readUploadToken(key: Uint8Array, token: string, now: number): AttachmentId {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) throw invalidToken()
  const claim = bytes.subarray(0, ID_BYTES + TIME_BYTES)
  if (!timingSafeEqual(bytes.subarray(ID_BYTES + TIME_BYTES), macOf(key, claim))) throw invalidToken()
  if (claim.readUIntBE(ID_BYTES, TIME_BYTES) <= now) {
    throw new DomainError('upload_url_expired', 'This upload URL has expired; ask for another.')
  }
  return idFromBytes('med', claim.subarray(0, ID_BYTES))
}

function macOf(key: Uint8Array, claim: Buffer): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(claim).digest()
}

function invalidToken(): DomainError {
  return new DomainError('upload_url_invalid', 'This is no upload URL of this service.')
}
