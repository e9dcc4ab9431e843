import type { LoggedTraceStoreOptions } from './logged-trace-store.ts'

/** Options of a store whose record of what has settled is always up to date, and whose log must be whole. */
export const RECORDED_AT_ONCE: Pick<
  LoggedTraceStoreOptions,
  'settledThrough' | 'onMissing' | 'settledRecord' | 'secureJournal'
> = {
  settledThrough: null,
  onMissing: ([gap]) => {
    if (gap !== undefined) throw new Error(`the log has no commit ${gap.from}`)
  },
  settledRecord: { recordedThrough: Infinity, record: async (version) => version },
  secureJournal: () => undefined,
}
