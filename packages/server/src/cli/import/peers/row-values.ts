import type { Fields } from '@spoor/payloads/json'

/** A row that cannot be imported. The message says why. */
export class BadRow extends Error {
  override readonly name = 'BadRow'
}

/** Texts of CSV and of Python have a blank between date and time, and no zone; they are in UTC. */
export function toTime(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? toIso(value) : null
  if (typeof value !== 'string' || value === '') return null
  const text = value.trim().replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
  return toIso(Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`))
}

function toIso(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** A text that is not empty. */
export function textOf(row: Fields, name: string): string | null {
  const value = row[name]
  return typeof value === 'string' && value !== '' ? value : null
}
