import type { TestContext } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
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
  /** Entries of the audit log about a project, newest first: what was done to what. */
  audited(projectId: string): Promise<object[]>
}

const ANY = { alsoOfNone: false, action: null, actorId: null, targetId: null, startTime: null, endTime: null }

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
    async audited(projectId) {
      const stores = openControlStore({ dataDir, clock, create: false })
      try {
        const filters = { projectId: projectId as ProjectId, ...ANY }
        return (await stores.audit.list(filters, null, 100)).map(({ actor, action, target, detail }) => ({
          actor: actor.kind,
          action,
          target,
          detail,
        }))
      } finally {
        stores.close()
      }
    },
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
