import type { Monitor, MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'

/** Whether the history, newest first, lacks the monitor's latest state change. */
export function historyIsBehind(
  { state, state_since }: Pick<Monitor, 'state' | 'state_since'>,
  entries: readonly Pick<MonitorHistoryEntry, 'to' | 'at'>[],
): boolean {
  const [newest] = entries
  if (newest === undefined) return state === 'fired'
  return newest.to !== state && Date.parse(newest.at) < Date.parse(state_since)
}
