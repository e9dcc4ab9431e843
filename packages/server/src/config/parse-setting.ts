import { parseIpRange } from '../lib/net/ip-address.ts'
import type { Setting } from './settings.ts'

/** A name, an IPv4 address, or an IPv6 address in brackets. */
const HOST_NAME = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])$/i

/** `problem` completes the sentence "SPOOR_PORT …". */
export type ParsedSetting = { readonly value: string | number | null } | { readonly problem: string }

/** `null` means "not given": the default, or null for a secret. */
export function parseSetting(setting: Setting, raw: string | null): ParsedSetting {
  if (raw === null) return { value: 'default' in setting ? setting.default : null }
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
      if (raw.trim() === '' || raw.includes('\0')) return { problem: 'must not be empty' }
      if (setting.pattern?.test(raw) !== false) return { value: raw }
      return { problem: `must be ${setting.patternMeaning ?? 'another text'}, not ${quote(raw)}` }
    case 'origin': {
      const value = originOf(raw)
      if (value !== null) return { value }
      return { problem: 'must be http:// or https://, a host and maybe a port, and nothing behind them' }
    }
    case 'url':
    case 'urls': {
      const values = (setting.type === 'url' ? [raw] : splitList(raw)).map(urlOf)
      if (values.every((value) => value !== null)) return { value: values.join(',') }
      return { problem: 'must be http:// or https:// and a host, without a user name, a password or a #' }
    }
    case 'ranges':
      for (const part of splitList(raw)) {
        const parsed = parseIpRange(part)
        if ('problem' in parsed) return { problem: `is wrong: ${quote(part)} ${parsed.problem}` }
      }
      return { value: raw }
    case 'hosts': {
      const wrong = splitList(raw).find((part) => !HOST_NAME.test(part))
      if (wrong === undefined) return { value: raw }
      return { problem: `is wrong: ${quote(wrong)} is no host name or address; neither scheme nor port belong to it` }
    }
    case 'secret':
      if (setting.pattern.test(raw)) return { value: raw }
      return { problem: `must be ${setting.patternMeaning}` }
  }
}

/** The parts of a setting of type `urls`, `ranges` or `hosts`. */
export function splitList(raw: string): string[] {
  return raw.split(',').map((part) => part.trim())
}

/** Null when it is more than an origin: a user name, a path or a query would have no effect. */
function originOf(raw: string): string | null {
  const url = URL.canParse(raw) ? new URL(raw) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin ? url.origin : null
}

/** Null for another scheme, and when it contains what belongs in the setting of the key, or would never be sent. */
function urlOf(raw: string): string | null {
  const url = URL.canParse(raw) ? new URL(raw) : null
  if (url === null || !/^https?:$/.test(url.protocol) || raw.includes('#')) return null
  return url.username === '' && url.password === '' ? url.href : null
}

function quote(raw: string): string {
  return JSON.stringify(raw.length > 100 ? `${raw.slice(0, 100)}…` : raw)
}
