/** `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const STORED_AS = 'spoor.theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED_AS)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme)
  applyTheme(theme)
}

/** Tells what draws on a canvas too: `onThemeChange`. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

/** Calls back when colours have changed, by the user's choice or the system's. Returns what ends that. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

/** What a colour of the theme (`--color-fail`) is now, for canvases. */
export function themeColor(name: `--color-${string}`): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
