import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import type { RandomBytes } from '../lib/ids/random.ts'
import { openKeyFile, readKeyFile } from './key-file.ts'

export interface SecretKeyOptions {
  readonly dataDir: string
  /** `SPOOR_SECRET_KEY`; null: the key is in `<dataDir>/secrets.key`. */
  readonly configured: Uint8Array | null
  readonly randomBytes: RandomBytes
  /** Whether a missing file is made: not while secrets are stored, which a new key would not open. */
  readonly mayMake: boolean
}

const ADVICE = 'Put back the one that this folder was used with: without it the stored secrets cannot be read.'

/** The key that secrets are sealed with in the control store. Throws OperatorError when there is none. */
export function openSecretKey({ dataDir, configured, randomBytes, mayMake }: SecretKeyOptions): Uint8Array {
  if (configured !== null) return configured
  const path = join(dataDir, 'secrets.key')
  if (mayMake) return openKeyFile(path, ADVICE, randomBytes)
  const known = readKeyFile(path, ADVICE)
  if (known === null) throw new OperatorError(`${path} is missing, and SPOOR_SECRET_KEY is not set. ${ADVICE}`)
  return known
}
