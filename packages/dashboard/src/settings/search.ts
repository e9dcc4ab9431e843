const SETTINGS_TABS = ['keys', 'projects', 'opentelemetry', 'senders', 'prices', 'limits', 'about'] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]

export interface SettingsSearch {
  readonly tab?: SettingsTab
  /** The model of the price form, so that other screens can link to a model without a price. */
  readonly model?: string
}

/** Parses the URL of the screen; drops invalid values. */
export function settingsSearch(raw: Record<string, unknown>): SettingsSearch {
  const tab = SETTINGS_TABS.find((each) => each === raw['tab'])
  const model = raw['model']
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(tab === 'prices' && typeof model === 'string' && model !== '' ? { model } : {}),
  }
}
