import type { FieldError } from '@spoor/contract/errors'
import { DomainError } from '../domain-error.ts'
import type { FieldErrors } from './field-errors.ts'
import { type Refusal, refused, toDomainError } from './refusal.ts'

/** The most errors in one answer. */
export const MOST_ERRORS = 20

/*
 * The only code that makes `validation_failed` (scripts/validation-errors.test.mjs checks it). Its detail is the first
 * error and the number of the others.
 */

/** An error to throw. */
export function invalid(...errors: readonly FieldError[]): DomainError {
  return toDomainError(refuseInvalid(...errors).refusal)
}

/** The same as data. */
export function refuseInvalid(...errors: readonly FieldError[]): { readonly refusal: Refusal } {
  return refuse(errors, false)
}

/** An error to throw, for collected errors. */
export function invalidFields(errors: FieldErrors): DomainError {
  return toDomainError(refuseFields(errors).refusal)
}

/** The same as data. */
export function refuseFields(errors: FieldErrors): { readonly refusal: Refusal } {
  return refuse(errors.all, errors.isFull)
}

/** Whether it is such an error. */
export function isInvalid(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'validation_failed'
}

function refuse(errors: readonly FieldError[], mayBeMore: boolean): { readonly refusal: Refusal } {
  const [first] = errors
  const where = first === undefined || first.pointer === '' ? '' : `${first.pointer}: `
  const count = `${mayBeMore ? 'at least ' : ''}${errors.length - 1}`
  const more = errors.length > 1 ? ` (and ${count} more)` : ''
  return refused('validation_failed', `${where}${first?.detail ?? 'The request is not valid.'}${more}`, errors)
}
