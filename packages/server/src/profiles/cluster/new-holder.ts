import { hostname } from 'node:os'
import { systemRandomBytes } from '../../lib/ids/random.ts'

/** Names this process: no other has the same, also after a restart. */
export function newHolder(): string {
  return `${hostname()}-${process.pid}-${Buffer.from(systemRandomBytes(4)).toString('hex')}`
}
