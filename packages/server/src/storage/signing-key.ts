import { join } from 'node:path'
import type { RandomBytes } from '../lib/ids/random.ts'
import { openKeyFile } from './key-file.ts'

/**
 * The key that signs this service's URLs. It is created at the first start and used by every later one. Only the
 * service's own account may read it. Removing the file invalidates every signed URL that was issued.
 */
export function openSigningKey(dataDir: string, randomBytes: RandomBytes): Uint8Array {
  return openKeyFile(join(dataDir, 'signing.key'), 'Remove it: the service will create a new one.', randomBytes)
}
