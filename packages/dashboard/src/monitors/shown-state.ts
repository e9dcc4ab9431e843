import type { Monitor } from '@spoor/contract/schemas/monitor'

/**
 * What a list tells of a monitor: a normal one whose last window could not be judged is apart from one that is well.
 */
export type ShownState = 'fired' | 'normal' | 'no_data' | 'disabled'

export function shownState({ enabled, state, last_value, last_evaluated_at }: Monitor): ShownState {
  if (!enabled) return 'disabled'
  if (state === 'fired') return 'fired'
  return last_evaluated_at !== null && last_value === null ? 'no_data' : 'normal'
}
