import type { Journal } from '../journal/journal.ts'
import { SortedWalks } from './sorted-walks.ts'
import type { TraceStore } from './trace-store.ts'

export interface KeepHouseDependencies {
  readonly store: Pick<TraceStore, 'purgeTraces' | 'purgeVersions'>
  readonly journal: Pick<
    Journal,
    'pendingPurges' | 'markPurged' | 'abandonedVersions' | 'forgetAbandoned' | 'prune' | 'pruneSuperseded'
  >
  /** How long journal rows are kept, milliseconds. */
  readonly journalRetentionMs: number
}

/** Deleted traces removed in one go. */
const PURGE_BATCH = 500

/**
 * One round of what needs doing now and then: rows of deleted traces and of commits that never ended are removed from disk, old journal rows and old
 * sort keys are dropped. Each part is bounded, and what is left waits for the next round.
 */
export async function keepHouse(
  { store, journal, journalRetentionMs }: KeepHouseDependencies,
  now: number,
): Promise<void> {
  journal.prune(now - journalRetentionMs)
  journal.pruneSuperseded(SortedWalks.keepSince(now))
  const deleted = journal.pendingPurges(PURGE_BATCH)
  if (deleted.length > 0) {
    const gone = await store.purgeTraces(deleted)
    journal.markPurged(gone.map(({ traceId }) => traceId))
  }
  const abandoned = [...journal.abandonedVersions()]
  if (abandoned.length > 0) journal.forgetAbandoned(await store.purgeVersions(abandoned))
}
