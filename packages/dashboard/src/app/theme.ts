import { useSyncExternalStore } from 'react'
import { Listeners } from '../lib/listeners.ts'

/** `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

export const THEMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

const STORED_AS = 'spoor.theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED_AS)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme)
  applyTheme(theme)
}

/** Also notifies canvases: `onThemeChange`. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  listeners.tell()
}

const listeners = new Listeners()

/** Calls back when colours change, by the user's or the system's choice. Returns a function that stops that. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const stop = listeners.subscribe(listener)
  system.addEventListener('change', listener)
  return () => {
    stop()
    system.removeEventListener('change', listener)
  }
}

/** The computed value of a theme colour (`--color-fail`), for canvases. */
export function themeColor(name: `--color-${string}`): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** The current theme, wherever it is changed. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, storedTheme)
}
