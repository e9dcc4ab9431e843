/** A metadata value as it is read: text without quotes, anything else as JSON. */
export function showMetadataValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * A metadata value as `meta_value` finds it and nothing else; null for what a filter cannot name from here: objects and
 * lists, and numbers that a browser does not hold exactly.
 */
export function toMetadataFilterValue(value: unknown): string | null {
  if (typeof value === 'string') return isJson(value) || value === '' ? JSON.stringify(value) : value
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return null
  return value === null || typeof value !== 'object' ? JSON.stringify(value) : null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
