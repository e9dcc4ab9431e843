import type { Journal } from '../../ports/journal/journal.ts'
import { SortedWalks } from '../read/sorted-walks.ts'

export interface KeepHouseDependencies {
  readonly journal: Pick<Journal, 'prune' | 'pruneSuperseded'>
  /** How long journal rows are kept, milliseconds. */
  readonly journalRetentionMs: number
  /** Journal rows behind this position are still needed: they are kept up to twice as long. */
  readonly dispatchedThrough: () => Promise<number>
}

/** Journal rows or sort keys dropped without a break: everything else in the process waits meanwhile. */
const PRUNE_BATCH = 2000
/**
 * Batches of one round. Much more than the busiest service makes in the half minute between two: what accumulated is
 * caught up with.
 */
const PRUNE_BATCHES = 50

/**
 * One round of what needs doing now and then: old journal rows and old sort keys are dropped. Each part is bounded, and
 * what is left waits for the next round.
 */
export async function keepHouse(
  { journal, journalRetentionMs, dispatchedThrough }: KeepHouseDependencies,
  now: number,
): Promise<void> {
  const dispatched = await dispatchedThrough()
  await inBatches((limit) => journal.prune(now - journalRetentionMs, limit, dispatched, now))
  await inBatches((limit) => journal.prune(now - 2 * journalRetentionMs, limit, Infinity, now))
  await inBatches((limit) => journal.pruneSuperseded(SortedWalks.keepSince(now), limit))
}

/** Until there is no more to drop, at most so often. Between two batches others have their turn. */
async function inBatches(drop: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 1; (await drop(PRUNE_BATCH)) === PRUNE_BATCH && batch < PRUNE_BATCHES; batch++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
