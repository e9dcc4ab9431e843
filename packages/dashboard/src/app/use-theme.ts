import { useSyncExternalStore } from 'react'
import { onThemeChange, storedTheme, type Theme } from './theme.ts'

/** What was chosen, wherever it was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, storedTheme)
}
