import { createIdGenerator, type IdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes, type RandomBytes } from '../lib/ids/random.ts'
import type { AccessStores } from '../ports/access/access-builders.test-support.ts'
import { MemoryAccess } from '../ports/access/memory-access.test-support.ts'
import { SignInToken } from './sign-in-token.ts'

export interface ProjectsFixture extends AccessStores {
  readonly clock: { time: number; now(): number }
  readonly ids: IdGenerator
  readonly randomBytes: RandomBytes
  readonly signInToken: SignInToken
}

/** For tests: all that the use cases of projects/ need, on in-memory stores and a clock that the test sets. */
export function projectsFixture(): ProjectsFixture {
  const clock = {
    time: 1_763_000_000_000,
    now() {
      return this.time
    },
  }
  const { projects, keys, sessions } = new MemoryAccess()
  const randomBytes = systemRandomBytes
  const signInToken = new SignInToken({ clock, randomBytes })
  return { projects, keys, sessions, clock, ids: createIdGenerator(clock, randomBytes), randomBytes, signInToken }
}
