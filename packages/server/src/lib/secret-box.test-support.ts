import { systemRandomBytes } from './ids/random.ts'
import { SecretBox } from './secret-box.ts'

/** For tests: every process has the same key. */
export const TEST_BOX = new SecretBox(Buffer.alloc(32, 5), systemRandomBytes)
