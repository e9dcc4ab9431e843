import type { DomainError } from '../domain-error.ts'
import type { FieldErrors } from './field-errors.ts'
import { type Refusal, refused, toDomainError } from './refusal.ts'

/** Most problems named in one answer. */
export const MOST_ERRORS = 20

export function refuseBody(what: string, errors: FieldErrors): { readonly refusal: Refusal } {
  const count = errors.all.length
  const more = errors.isFull ? ', perhaps more' : ''
  const detail = `The ${what} has ${count} ${count === 1 ? 'problem' : 'problems'}${more}.`
  return refused('validation_failed', detail, errors.all)
}

export function invalidBody(what: string, errors: FieldErrors): DomainError {
  return toDomainError(refuseBody(what, errors).refusal)
}
