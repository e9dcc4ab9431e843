import { useSyncExternalStore } from 'react'
import { onThemeChange, storedTheme, type Theme } from '../../app/theme.ts'

/** What was chosen, wherever it was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, storedTheme)
}
