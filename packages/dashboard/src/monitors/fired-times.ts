import type { MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'

/** The periods in which a monitor was firing, from its state changes, the oldest first. A current one ends at `end`. */
export function firedTimes(
  changes: readonly Pick<MonitorHistoryEntry, 'at' | 'to'>[],
  end: number,
): { from: number; to: number }[] {
  return changes.flatMap(({ at, to }, index) => {
    const next = changes[index + 1]
    return to === 'fired' ? [{ from: Date.parse(at), to: next === undefined ? end : Date.parse(next.at) }] : []
  })
}
