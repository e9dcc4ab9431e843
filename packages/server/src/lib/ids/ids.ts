import type { Id, IdPrefix } from '@spoor/contract/ids'
import { V7Generator } from 'uuidv7'
import type { Clock } from '../time/clock.ts'
import type { RandomBytes } from './random.ts'
import { idFromBytes, leadingBits48 } from './typeid.ts'

const MAX_TIME = 2 ** 48 - 1
const RANDOM_POOL_BYTES = 4096

export interface IdGenerator {
  /** Each id is greater than all earlier ones, by the order of the 26 characters, even if the clock steps back. */
  newId<P extends IdPrefix>(prefix: P): Id<P>
  /** Later ids are greater than `id`, which an earlier run of the service created, whatever the clock says. */
  startAfter(id: string): void
}

/**
 * Ids in time order: UUIDv7 with a 42-bit counter within the millisecond and 32 random bits. After the clock steps
 * back, ids use the latest time until the clock has caught up.
 */
export function createIdGenerator(clock: Clock, randomBytes: RandomBytes): IdGenerator {
  const generator = new V7Generator(pooledRandom(randomBytes))
  generator.setRollbackAllowance(MAX_TIME)
  let earliest = 0
  return {
    newId(prefix) {
      // With this allowance the generator always returns a value.
      return idFromBytes(prefix, generator.generateOrResetWithTs(Math.max(clock.now(), earliest)).bytes)
    },
    startAfter(id) {
      earliest = Math.max(earliest, timeOfId(id) + 1)
    },
  }
}

/**
 * When the id was created, milliseconds since 1970 UTC; later than that if an earlier id came from a clock that was
 * ahead. Meaningless for an id that a client chose freely. Throws RangeError if `id` is not an id.
 */
export function timeOfId(id: string): number {
  return leadingBits48(id)
}

/**
 * The smallest id of the first whole millisecond at or after `timeMs`: `id >= idAtTime('tr', t)` means created at `t`
 * or later.
 */
export function idAtTime<P extends IdPrefix>(prefix: P, timeMs: number): Id<P> {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(MAX_TIME, Math.max(0, Math.ceil(timeMs))), 0, 6)
  return idFromBytes(prefix, bytes)
}

export function greatestId<P extends IdPrefix>(prefix: P): Id<P> {
  return idFromBytes(prefix, Buffer.alloc(16, 0xff))
}

/** A call to the system's generator takes a microsecond for any size, so one call serves a thousand numbers. */
function pooledRandom(randomBytes: RandomBytes): { nextUint32(): number } {
  let pool = Buffer.alloc(0)
  let offset = 0
  return {
    nextUint32() {
      if (offset + 4 > pool.length) {
        pool = Buffer.from(randomBytes(RANDOM_POOL_BYTES))
        offset = 0
      }
      offset += 4
      return pool.readUInt32BE(offset - 4)
    },
  }
}

export function greatestOf<Of extends string>(a: Of | null, b: Of | null): Of | null {
  return a === null || (b !== null && b > a) ? b : a
}
