import { hash } from 'node:crypto'
import { isId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'

/**
 * Longer keys are stored as their hash. Numbered keys are short: stored whole they keep their order, so neighbours
 * share a page. Random keys (UUIDs are longer) would gain nothing.
 */
const WHOLE_BYTES = 24
const HASH_BYTES = 16

/**
 * A client's key in at most 25 bytes, different for different keys. The first byte names the encoding of the others:
 * `s` is the 16 bytes of a step id after an `i`, `w` the whole key in UTF-8, `h` 128 bits of SHA-256 over its UTF-16
 * (in UTF-8 all lone surrogates would be equal).
 */
export function compactKey(key: string): Uint8Array {
  if (key.startsWith('i') && isId('st', key.slice(1))) return tagged('s', idToBytes(key.slice(1)))
  if (key.length <= WHOLE_BYTES && key.isWellFormed()) {
    const whole = Buffer.from(key, 'utf8')
    if (whole.length <= WHOLE_BYTES) return tagged('w', whole)
  }
  return hashedKey(key)
}

/** As `compactKey`, but always the hash: for keys that are stored longer than the trace of the client. */
export function hashedKey(key: string): Uint8Array {
  return tagged('h', hash('sha256', Buffer.from(key, 'utf16le'), 'buffer').subarray(0, HASH_BYTES))
}

/** The generation of keys that do not expire. */
export const LASTING = 0

/** Whether it is an `Idempotency-Key`: a header has no control characters, with which the ids of senders begin. */
export function traceKeyExpires(key: string): boolean {
  return key >= ' '
}

/** Whether it is an idempotency key; see `StepKey.key`. */
export function stepKeyExpires(key: string): boolean {
  return key.startsWith('k')
}

/** The 32 bytes of a SHA-256 in lower-case hex. Throws RangeError for anything else, as decoding would change it. */
export function sha256Bytes(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex')
  if (bytes.length !== 32 || hex.length !== 64 || hex !== hex.toLowerCase()) {
    throw new RangeError(`not a SHA-256 in lower-case hex: ${JSON.stringify(hex.slice(0, 80))}`)
  }
  return bytes
}

export function sha256Hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function tagged(tag: 's' | 'w' | 'h', bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length + 1)
  result[0] = tag.charCodeAt(0)
  result.set(bytes, 1)
  return result
}
