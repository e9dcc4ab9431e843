export type SettingsSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function settingsSearch(_raw: Record<string, unknown>): SettingsSearch {
  return {}
}
