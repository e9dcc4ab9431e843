import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { systemClock, type Clock } from '../../lib/time/clock.ts'
import { openControlStore, type ControlStore } from './open-control-store.ts'

/** For tests: a folder that is removed when the test ends. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-control-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** For tests: a real store on a file of its own, or another connection to `dataDir`; closed when the test ends. */
export function temporaryStore(
  context: TestContext,
  {
    dataDir = temporaryFolder(context),
    clock = systemClock,
    onReadError = failTest,
  }: { dataDir?: string; clock?: Clock; onReadError?: (error: unknown) => void } = {},
): ControlStore {
  const store = openControlStore({ dataDir, clock, create: true, onReadError })
  context.after(() => store.close())
  return store
}

/** Makes an unexpected failure of a read visible in the test. */
function failTest(error: unknown): never {
  throw error
}
