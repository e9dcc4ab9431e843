import { join } from 'node:path'
import type { RandomBytes } from '../lib/ids/random.ts'
import { openKeyFile } from './key-file.ts'

/**
 * The key with which this service signs URLs of its own: made at the first start and the same after every later one.
 * Only the service's own account may read it. Whoever removes the file ends every signed URL that is on its way.
 */
export function openSigningKey(dataDir: string, randomBytes: RandomBytes): Uint8Array {
  return openKeyFile(join(dataDir, 'signing.key'), 'Remove it: the service makes another one.', randomBytes)
}
