import type { Limits } from '@spoor/contract/limits'
import { invalid } from '../../lib/validation/validation-failed.ts'

/** RFC 3339, or a date for its midnight UTC. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i

/** Milliseconds since 1970 UTC; null if the parameter is absent. */
export function queryTime(name: string, text: string | undefined): number | null {
  // An unescaped plus sign is decoded as a space.
  return text === undefined ? null : parseTime(`?${name}`, text.replace(' ', '+'))
}

export function bodyTime(pointer: string, text: string | null): number | null {
  return text === null ? null : parseTime(pointer, text)
}

/** A time of a body or query, milliseconds since 1970 UTC. Throws `validation_failed` with the pointer. */
export function parseTime(pointer: string, text: string): number {
  const at = TIME.test(text) && isOnCalendar(text.slice(0, 10)) ? Date.parse(text) : NaN
  if (!Number.isNaN(at)) return at
  throw invalid({
    pointer,
    code: 'invalid_format',
    detail: 'It must be an ISO 8601 time, like 2026-01-31T12:00:00Z.',
  })
}

/** Date.parse would accept 31 February as 3 March. */
function isOnCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}

export function pageLimit(limit: number | undefined, limits: Limits): number {
  return Math.min(limit ?? limits.listLimitDefault, limits.listLimitMax)
}

/**
 * Pairs metadata filters. With as many values as keys, the first value belongs to the first key and so on, whatever the
 * order. With fewer, each value belongs to the key just before it, and a key without a value only has to exist.
 */
export function metadataFilters(pairs: URLSearchParams): { readonly key: string; readonly value: string | null }[] {
  const keys = pairs.getAll('meta_key')
  const values = pairs.getAll('meta_value')
  if (keys.length === values.length) return keys.map((key, i) => ({ key, value: values[i] ?? null }))
  const filters: { key: string; value: string | null }[] = []
  for (const [name, text] of pairs) {
    if (name === 'meta_key') filters.push({ key: text, value: null })
    if (name !== 'meta_value') continue
    const last = filters.at(-1)
    if (last === undefined || last.value !== null) {
      throw invalid({
        pointer: '?meta_value',
        code: 'invalid_value',
        detail: 'Each meta_value needs a meta_key before it.',
      })
    }
    last.value = text
  }
  return filters
}
