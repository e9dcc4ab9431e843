import { ERRORS, type FieldError } from '@spoor/contract/errors'
import type { RefusedLine } from '../lib/lines/line-group.ts'
import { type Refusal, refused } from '../lib/validation/refusal.ts'
import { refuseInvalid } from '../lib/validation/validation-failed.ts'

/** Refuses an event for its single error: with that code if the whole request is refused for it. */
export function refuseFor(error: FieldError): { readonly refusal: Refusal } {
  return ERRORS[error.code].status === null ? refuseInvalid(error) : refused(error.code, error.detail, [error])
}

/** The result of one event of a batch: the code that it would have got alone, its position, and all errors. */
export function refuseEvent(line: number, { code, detail: whole, errors }: Refusal): RefusedLine {
  const detail = errors.length === 0 ? whole : errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code, detail, pointer: errors[0]?.pointer || null }
}
