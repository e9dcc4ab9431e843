import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import { DomainError } from '../domain-error.ts'

/**
 * Why something was refused, as data. A request can have a million refused lines, and the stack of an Error takes
 * several microseconds. A DomainError is a Refusal too.
 */
export interface Refusal {
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly FieldError[]
}

/** The result of reading something that may be refused. */
export type Outcome<T> = { readonly value: T } | { readonly refusal: Refusal }

export function refused(code: ErrorCode, detail: string, errors: readonly FieldError[] = []): { refusal: Refusal } {
  return { refusal: { code, detail, errors } }
}

export function toDomainError({ code, detail, errors }: Refusal): DomainError {
  return new DomainError(code, detail, { errors })
}

/** With another value. */
export function mapOutcome<T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> {
  return 'refusal' in outcome ? outcome : { value: map(outcome.value) }
}

/** For callers that refuse the whole request. Throws DomainError. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if ('refusal' in outcome) throw toDomainError(outcome.refusal)
  return outcome.value
}
