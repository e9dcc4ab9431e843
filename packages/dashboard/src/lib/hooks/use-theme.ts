import { useSyncExternalStore } from 'react'
import { onThemeChange, storedTheme, type Theme } from '../../app/theme.ts'

/** The current theme, wherever it is changed. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, storedTheme)
}
