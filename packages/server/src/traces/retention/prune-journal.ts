import { inBatches } from '../../lib/flow/in-batches.ts'
import type { Journal } from '../../ports/journal/journal.ts'
import { SortedWalks } from '../read/sorted-walks.ts'

export interface PruneJournalDependencies {
  readonly journal: Pick<Journal, 'prune' | 'pruneSuperseded' | 'expireKeys'>
  /** Retention of journal rows, milliseconds. */
  readonly journalRetentionMs: number
  /** For how long at least an idempotency key is known, milliseconds. */
  readonly idempotencyMs: number
  /** Rows after this position are not dispatched yet. They are retained up to twice as long. */
  readonly dispatchedThrough: () => Promise<number>
}

/** Journal rows or sort keys dropped without a break; meanwhile the process does nothing else. */
const BATCH = 2000
/** Idempotency keys: a busy service writes some for each trace, and their rows are small and in order. */
const KEY_BATCH = 10_000
/**
 * Batches of one round. This is far more than the busiest service produces between two rounds, half a minute apart, so
 * a backlog shrinks.
 */
const BATCHES = 50

/**
 * One housekeeping round: drops old journal rows, sort keys and idempotency keys. Each part is bounded; the rest is
 * dropped by the next round.
 */
export async function pruneJournal(
  { journal, journalRetentionMs, idempotencyMs, dispatchedThrough }: PruneJournalDependencies,
  now: number,
): Promise<void> {
  const dispatched = await dispatchedThrough()
  await inBatches(BATCH, BATCHES, (limit) => journal.prune(now - journalRetentionMs, limit, dispatched, now))
  await inBatches(BATCH, BATCHES, (limit) => journal.prune(now - 2 * journalRetentionMs, limit, Infinity, now))
  await inBatches(BATCH, BATCHES, (limit) => journal.pruneSuperseded(SortedWalks.keepSince(now), limit))
  await inBatches(KEY_BATCH, BATCHES, (limit) => journal.expireKeys(now, idempotencyMs, limit))
}
