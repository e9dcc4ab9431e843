import type { Monitor } from '@spoor/contract/schemas/monitor'
import type { MONITOR_SHOWN } from './search.ts'

/** The state shown in lists. A normal monitor whose last window had no data is shown as such. */
export type ShownState = (typeof MONITOR_SHOWN)[number]

export function shownState({ enabled, state, last_value, last_evaluated_at }: Monitor): ShownState {
  if (!enabled) return 'disabled'
  if (state === 'fired') return 'fired'
  return last_evaluated_at !== null && last_value === null ? 'no_data' : 'normal'
}
