import type { MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'

/**
 * The periods in which a monitor was firing, from its history (newest first) as far as loaded. A current one ends at
 * `now`.
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
