import type { TestContext } from 'node:test'
import { createIdGenerator, type IdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes, type RandomBytes } from '../lib/ids/random.ts'
import type { ControlStore } from '../storage/sql/open-control-store.ts'
import { temporaryStore } from '../storage/sql/temporary-store.test-support.ts'
import { SignInToken } from './sign-in-token.ts'

export interface ProjectsFixture extends ControlStore {
  readonly clock: { time: number; now(): number }
  readonly ids: IdGenerator
  readonly randomBytes: RandomBytes
  readonly signInToken: SignInToken
}

/** For tests: all that the use cases of projects/ need, on a real store and a clock that the test sets. */
export function projectsFixture(context: TestContext): ProjectsFixture {
  const clock = {
    time: 1_763_000_000_000,
    now() {
      return this.time
    },
  }
  const store = temporaryStore(context, { clock })
  const randomBytes = systemRandomBytes
  const signInToken = new SignInToken({ clock, randomBytes })
  return { ...store, clock, ids: createIdGenerator(clock, randomBytes), randomBytes, signInToken }
}
