import { useSyncExternalStore } from 'react'

/** Wide enough for two panes, as `lg` in the style sheet. */
const WIDE = matchMedia('(min-width: 64rem)')

export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener)
      return () => WIDE.removeEventListener('change', listener)
    },
    () => WIDE.matches,
  )
}
