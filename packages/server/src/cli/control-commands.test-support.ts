import type { TestContext } from 'node:test'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { systemClock, type Clock } from '../lib/time/clock.ts'
import { openControlStore } from '../storage/sql/open-control-store.ts'
import { temporaryFolder } from '../storage/sql/temporary-store.test-support.ts'
import type { ControlCommandDependencies } from './command.ts'

export interface CommandFixture {
  readonly dataDir: string
  readonly dependencies: ControlCommandDependencies
  /** Lines since the last call. */
  output(): string[]
  errors(): string[]
}

/** For tests: a folder with an empty store in it, and commands that work on it. */
export function commandFixture(context: TestContext, clock: Clock = systemClock): CommandFixture {
  const dataDir = temporaryFolder(context)
  openControlStore({ dataDir, clock, create: true }).close()
  const printed: string[] = []
  const printedErrors: string[] = []
  return {
    dataDir,
    output: () => printed.splice(0),
    errors: () => printedErrors.splice(0),
    dependencies: {
      openStores: (folder) => openControlStore({ dataDir: folder ?? dataDir, clock, create: false }),
      clock,
      ids: createIdGenerator(clock, systemRandomBytes),
      randomBytes: systemRandomBytes,
      print: (line) => printed.push(line),
      printError: (line) => printedErrors.push(line),
    },
  }
}
