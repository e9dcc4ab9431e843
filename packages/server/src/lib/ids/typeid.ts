import type { Id, IdPrefix } from '@spoor/contract/ids'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SUFFIX_LENGTH = 26
const ID_BYTES = 16

const VALUES = new Int8Array(128).fill(-1)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

/**
 * The TypeID of 16 bytes: the prefix and 26 characters of Crockford base32, most significant first. Sorts like the
 * bytes.
 */
export function idFromBytes<P extends IdPrefix>(prefix: P, bytes: Uint8Array): Id<P> {
  if (bytes.length !== ID_BYTES) throw new RangeError(`an id has 16 bytes, not ${bytes.length}`)
  let text = `${prefix}_`
  let pending = 0
  // 26 characters hold 130 bits, so two zero bits come first.
  let pendingBits = 2
  for (const byte of bytes) {
    pending = ((pending & 31) << 8) | byte
    pendingBits += 8
    while (pendingBits >= 5) {
      pendingBits -= 5
      text += ALPHABET[(pending >> pendingBits) & 31]
    }
  }
  return text as Id<P>
}

/** The 16 bytes of a well-formed id of any prefix. Throws RangeError for anything else. */
export function idToBytes(id: string): Uint8Array {
  const bytes = new Uint8Array(ID_BYTES)
  let pending = 0
  let pendingBits = -2
  let length = 0
  for (let at = suffixStart(id); at < id.length; at++) {
    pending = ((pending & 255) << 5) | valueAt(id, at)
    pendingBits += 5
    if (pendingBits >= 8) {
      pendingBits -= 8
      bytes[length++] = (pending >> pendingBits) & 255
    }
  }
  return bytes
}

/** The first 48 bits. In an id created by this service they are its time in milliseconds. */
export function leadingBits48(id: string): number {
  const start = suffixStart(id)
  let bits = 0
  for (let at = start; at < start + 10; at++) bits = bits * 32 + valueAt(id, at)
  return bits
}

function suffixStart(id: string): number {
  const start = id.length - SUFFIX_LENGTH
  if (start < 1 || id[start - 1] !== '_' || valueAt(id, start) > 7) throw notAnId(id)
  return start
}

function valueAt(id: string, at: number): number {
  const value = VALUES[id.charCodeAt(at)] ?? -1
  if (value < 0) throw notAnId(id)
  return value
}

function notAnId(id: string): RangeError {
  return new RangeError(`not an id: ${JSON.stringify(id.slice(0, 40))}`)
}
