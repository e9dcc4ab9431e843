import type { Setting } from './settings.ts'

/** `problem` completes the sentence "SPOOR_PORT …". */
export type ParsedSetting = { readonly value: string | number | null } | { readonly problem: string }

/** `null` stands for "not given": the default, or null for a secret. */
export function parseSetting(setting: Setting, raw: string | null): ParsedSetting {
  if (raw === null) return { value: setting.type === 'secret' ? null : setting.default }
  switch (setting.type) {
    case 'integer': {
      const value = /^\d{1,15}$/.test(raw) ? Number(raw) : NaN
      if (value >= setting.minimum && value <= setting.maximum) return { value }
      return { problem: `must be a whole number from ${setting.minimum} to ${setting.maximum}, not ${quote(raw)}` }
    }
    case 'choice':
      if (setting.choices.includes(raw)) return { value: raw }
      return { problem: `must be one of ${setting.choices.join(', ')}, not ${quote(raw)}` }
    case 'text':
      if (raw.trim() !== '' && !raw.includes('\0')) return { value: raw }
      return { problem: 'must not be empty' }
    case 'secret':
      if (setting.pattern.test(raw)) return { value: raw }
      return { problem: `must be ${setting.patternMeaning}` }
  }
}

function quote(raw: string): string {
  return JSON.stringify(raw.length > 100 ? `${raw.slice(0, 100)}…` : raw)
}
