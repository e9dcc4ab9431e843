import { parseJson } from '../../lib/parse-json.ts'

/** Formats a metadata value: text without quotes, other values as JSON. */
export function showMetadataValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * A metadata value in the form that `meta_value` matches exactly; null if there is none: for objects, lists, and
 * numbers that JavaScript does not hold exactly.
 */
export function toMetadataFilterValue(value: unknown): string | null {
  if (typeof value === 'string') return parseJson(value) !== undefined || value === '' ? JSON.stringify(value) : value
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return null
  return value === null || typeof value !== 'object' ? JSON.stringify(value) : null
}
