import { DomainError } from './domain-error.ts'
import type { FieldErrors } from './field-errors.ts'

/** Most problems named in one answer. */
export const MOST_ERRORS = 20

export function invalidBody(what: string, errors: FieldErrors): DomainError {
  const count = errors.all.length
  const more = errors.isFull ? ', perhaps more' : ''
  const detail = `The ${what} has ${count} ${count === 1 ? 'problem' : 'problems'}${more}.`
  return new DomainError('validation_failed', detail, { errors: errors.all })
}
