import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { RandomBytes } from './ids/random.ts'

const ALGORITHM = 'aes-256-gcm'
const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Begins sealed text, in base64. */
const SEALED = 'sealed:'

const SECRET_KEY_BYTES = 32

/**
 * Encrypts texts with AES-256-GCM and a random nonce of 96 bits. A sealed text is one byte (the format, 1), the nonce,
 * the cipher text and the tag. It opens only in the context it was sealed in, so that the secret of one row cannot be
 * copied to another row.
 */
export class SecretBox {
  /** Identifies the key without revealing it: 16 hex digits. */
  readonly keyId: string
  readonly #key: Uint8Array
  readonly #randomBytes: RandomBytes

  constructor(key: Uint8Array, randomBytes: RandomBytes) {
    if (key.length !== SECRET_KEY_BYTES) throw new RangeError(`a key has ${SECRET_KEY_BYTES} bytes, not ${key.length}`)
    this.#key = key
    this.#randomBytes = randomBytes
    this.keyId = createHmac('sha256', key).update('spoor secret key id 1').digest('hex').slice(0, 16)
  }

  seal(text: string, context: string): Uint8Array {
    const nonce = this.#randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(context))
    return Buffer.concat(
      [[FORMAT], nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()].map((part) =>
        Uint8Array.from(part),
      ),
    )
  }

  /** For columns of text. */
  sealText(text: string, context: string): string {
    return `${SEALED}${Buffer.from(this.seal(text, context)).toString('base64')}`
  }

  /** Throws as `open`. */
  openText(stored: string, context: string): string {
    if (!stored.startsWith(SEALED)) throw new Error('not a sealed text')
    return this.open(Buffer.from(stored.slice(SEALED.length), 'base64'), context)
  }

  /** Throws if the text is damaged, or was sealed with another key or in another context. */
  open(sealed: Uint8Array, context: string): string {
    if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed text')
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES))
    const text = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  }
}
