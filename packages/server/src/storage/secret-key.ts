import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import type { RandomBytes } from '../lib/ids/random.ts'
import { openKeyFile, readKeyFile } from './key-file.ts'

export interface SecretKeyOptions {
  readonly dataDir: string
  /** `SPOOR_SECRET_KEY`; null: use the key in `<dataDir>/secrets.key`. */
  readonly configured: Uint8Array | null
  readonly randomBytes: RandomBytes
  /** Whether to create a missing file. False while secrets are stored: a new key could not decrypt them. */
  readonly mayMake: boolean
}

const ADVICE = 'Restore the key that this folder was used with: without it the stored secrets cannot be read.'

/** The key that encrypts secrets in the control store. Throws OperatorError when there is none. */
export function openSecretKey({ dataDir, configured, randomBytes, mayMake }: SecretKeyOptions): Uint8Array {
  if (configured !== null) return configured
  const path = join(dataDir, 'secrets.key')
  if (mayMake) return openKeyFile(path, ADVICE, randomBytes)
  const known = readKeyFile(path, ADVICE)
  if (known === null) throw new OperatorError(`${path} is missing, and SPOOR_SECRET_KEY is not set. ${ADVICE}`)
  return known
}
