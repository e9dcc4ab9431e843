import type { LoggedTraceStore } from '../logged-trace-store.ts'

const noWait = async () => undefined

/** For tests of what is in memory and in the engine: a log that keeps nothing. */
export function noLog(): ConstructorParameters<typeof LoggedTraceStore>[1] {
  return {
    append: noWait,
    takeBack: () => undefined,
    repair: noWait,
    release: noWait,
    close: noWait,
    canRelease: () => false,
    oldestVersion: Infinity,
    sizeBytes: 0,
  }
}
