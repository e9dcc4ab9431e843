import { changed, oneOf, searchOf, text } from '../lib/search.ts'

const SETTINGS_TABS = [
  'keys',
  'projects',
  'opentelemetry',
  'analysis',
  'senders',
  'retention',
  'masking',
  'prices',
  'audit',
  'limits',
  'about',
] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]

const read = searchOf({
  tab: oneOf(SETTINGS_TABS),
  /** The model of the price form, so that other screens can link to a model without a price. */
  model: text,
})

export function settingsSearch(raw: Record<string, unknown>): ReturnType<typeof read> {
  const search = read(raw)
  return search.tab === 'prices' ? search : changed(search, { model: undefined })
}
