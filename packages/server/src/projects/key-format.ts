import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { RandomBytes } from '../lib/ids/random.ts'

const PREFIX = 'spoor_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SECRET = /^spoor_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
/**
 * The greatest multiple of 62 in a byte: bytes from it on are discarded, else the first characters would occur more
 * often.
 */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

/** A new secret: `spoor_`, 30 base62 characters (178 bits) and their checksum. */
export function newSecret(randomBytes: RandomBytes): string {
  let characters = ''
  while (characters.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH * 2)) {
      if (byte < FAIR_BYTES && characters.length < RANDOM_LENGTH) characters += ALPHABET[byte % ALPHABET.length]
    }
  }
  return PREFIX + characters + checksum(characters)
}

/**
 * Whether `text` has the form of a secret and its checksum is right: recognises typing errors and junk without a
 * look-up.
 */
export function isWellFormedSecret(text: string): boolean {
  const match = SECRET.exec(text)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

/**
 * What is stored of a secret. No salt or slow hash: 178 random bits cannot be guessed, and every request computes it.
 */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest()
}

/** CRC32 in base62, left-padded with `0`. */
function checksum(characters: string): string {
  let rest = crc32(characters)
  let text = ''
  while (rest > 0) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text.padStart(CHECKSUM_LENGTH, '0')
}
