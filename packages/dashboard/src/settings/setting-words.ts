import { LIMITS, mapLimits, toWireLimits } from '@spoor/contract/limits'
import { formatBytes, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'

const UNITS = ['bytes', 'seconds', 'ms', 'hours', 'days'] as const

/** Labels for names that do not read well by themselves. */
const WORDS: Readonly<Record<string, string>> = {
  ...toWireLimits(mapLimits((name) => LIMITS[name].label)),
  journal_seconds: 'Live tail resumes within',
  delivery_seconds: 'Delivery log retention',
  idempotency_seconds: 'Retries are recognised for',
  audit_seconds: 'Audit log retention',
  session_seconds: 'Session lifetime',
  full_text: 'Full-text search',
  media_store: 'Media storage',
  monitor_interval_seconds: 'Monitor detection target',
  trace_quiet_seconds: 'Quiet time before a trace in pieces is complete',
}

/** Turns "step_count_max_bytes" into "Step count max". */
export function nameOfSetting(name: string): string {
  if (Object.hasOwn(WORDS, name)) return WORDS[name] ?? name
  const words = name.split('_').filter((word) => word !== '')
  if (words.length > 1 && UNITS.some((unit) => unit === words.at(-1))) words.pop()
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats a value in the unit at the end of its name. */
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
