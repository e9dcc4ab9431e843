import type { MonitorStore } from '../ports/monitors/monitor-store.ts'

/** State changes are stored for a year. */
const HISTORY_KEPT_MS = 365 * 24 * 3600 * 1000
const DROPPED_TOGETHER = 1000

/** One round of housekeeping: the rest waits for the next. */
export async function pruneHistory(store: Pick<MonitorStore, 'pruneHistory'>, now: number): Promise<void> {
  await store.pruneHistory(now - HISTORY_KEPT_MS, DROPPED_TOGETHER)
}
