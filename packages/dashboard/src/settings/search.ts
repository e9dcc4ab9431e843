const SETTINGS_TABS = ['keys', 'projects', 'prices', 'limits', 'about'] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]

export interface SettingsSearch {
  readonly tab?: SettingsTab
  /** A model whose price is being set: how other screens point at one that has none. */
  readonly model?: string
}

/** What the URL says about the screen; what it cannot mean is left out. */
export function settingsSearch(raw: Record<string, unknown>): SettingsSearch {
  const tab = SETTINGS_TABS.find((each) => each === raw['tab'])
  const model = raw['model']
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(tab === 'prices' && typeof model === 'string' && model !== '' ? { model } : {}),
  }
}
