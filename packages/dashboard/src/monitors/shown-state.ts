import type { Monitor } from '@spoor/contract/schemas/monitor'

/** The state shown in lists. A normal monitor whose last window had no data is shown as such. */
export type ShownState = 'fired' | 'normal' | 'no_data' | 'disabled'

export function shownState({ enabled, state, last_value, last_evaluated_at }: Monitor): ShownState {
  if (!enabled) return 'disabled'
  if (state === 'fired') return 'fired'
  return last_evaluated_at !== null && last_value === null ? 'no_data' : 'normal'
}
