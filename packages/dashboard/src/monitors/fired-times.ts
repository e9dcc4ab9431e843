import type { MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'

/**
 * The times in which a monitor was fired, by its history (newest first) as far as it is known; one that lasts is open
 * until `now`.
 */
export function firedTimes(
  history: readonly Pick<MonitorHistoryEntry, 'at' | 'to'>[],
  now: number,
): { from: number; to: number }[] {
  return history
    .flatMap(({ at, to }, index) => {
      if (to !== 'fired') return []
      const next = history[index - 1]
      return [{ from: Date.parse(at), to: next === undefined ? now : Date.parse(next.at) }]
    })
    .toReversed()
}
