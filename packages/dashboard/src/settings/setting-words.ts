import { LIMITS, mapLimits, toWireLimits } from '@spoor/contract/limits'
import { formatBytes, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'

const UNITS = ['bytes', 'seconds', 'ms', 'hours', 'days'] as const

/** Names that do not read well by themselves. */
const WORDS: Readonly<Record<string, string>> = {
  ...toWireLimits(mapLimits((name) => LIMITS[name].label)),
  journal_seconds: 'How far back the live tail resumes',
  delivery_seconds: 'Finished deliveries and their attempts',
  session_seconds: 'Staying signed in',
  full_text: 'Search in names and texts',
  media_store: 'Media are kept in a',
  monitor_interval_seconds: 'Monitors report a crossing within',
}

/** "step_count_max_bytes" as "Step count max". */
export function nameOfSetting(name: string): string {
  if (Object.hasOwn(WORDS, name)) return WORDS[name] ?? name
  const words = name.split('_').filter((word) => word !== '')
  if (words.length > 1 && UNITS.some((unit) => unit === words.at(-1))) words.pop()
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** In the unit that its name ends with. */
export function valueOfSetting(name: string, value: unknown): string {
  if (value === null) return 'unlimited'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
  if (name.endsWith('_bytes')) return formatBytes(value)
  if (name.endsWith('_seconds')) return formatSpan(value * 1000)
  if (name.endsWith('_ms')) return formatSpan(value)
  if (name.endsWith('_hours')) return formatSpan(value * 3_600_000)
  return formatCount(value)
}

const DAY = 86_400_000

function formatSpan(ms: number): string {
  if (ms === 0 || ms % DAY !== 0) return formatDuration(ms)
  return ms === DAY ? '1 day' : `${formatCount(ms / DAY)} days`
}
