import { hash } from 'node:crypto'
import { DomainError } from './domain-error.ts'
import type { PageRequest } from './list-page.ts'

/** A cursor of several fields, opaque to clients. */
export function encodeFields(fields: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** Throws DomainError `invalid_cursor` for a text that `encodeFields` cannot have returned. */
export function readFields(text: string): readonly unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(fields)) return fields
  } catch (error) {
    throw invalidCursor(undefined, error)
  }
  throw invalidCursor()
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Stands for a query in a cursor that is valid for this query alone. */
export function fingerprint({ cursor: _cursor, limit: _limit, ...rest }: PageRequest): string {
  return hash('sha256', JSON.stringify(rest), 'base64url').slice(0, 12)
}

/** Throws DomainError `invalid_cursor` when the fingerprint is that of another query. */
export function requireQuery(print: unknown, query: PageRequest): void {
  if (print !== fingerprint(query)) throw invalidCursor('It belongs to a list with other filters or another order.')
}

export function invalidCursor(detail = 'The cursor does not belong to this list.', cause?: unknown): DomainError {
  return new DomainError('invalid_cursor', detail, { cause })
}
