import { idAtTime } from '../../lib/ids/ids.ts'
import type { LoggedTraceStoreOptions } from './logged-trace-store.ts'

/**
 * Options of a store whose record of what has settled is always up to date, and whose log must be whole. Every trace
 * counts as an old one, so that what has settled is read from the engine.
 */
export const RECORDED_AT_ONCE: Pick<
  LoggedTraceStoreOptions,
  'settledThrough' | 'lacksParts' | 'lastTraceId' | 'onMissing' | 'settledRecord' | 'secureJournal'
> = {
  settledThrough: null,
  lacksParts: false,
  lastTraceId: idAtTime('tr', 2 ** 47),
  onMissing: ([gap]) => {
    if (gap !== undefined) throw new Error(`the log has no commit ${gap.from}`)
  },
  settledRecord: { recordedThrough: Infinity, isWhole: true, record: async (version) => version },
  secureJournal: () => undefined,
}
