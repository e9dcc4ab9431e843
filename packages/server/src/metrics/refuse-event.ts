import { ERRORS, type FieldError } from '@spoor/contract/errors'
import type { RefusedLine } from '../lib/lines/line-group.ts'
import { type Refusal, refused } from '../lib/validation/refusal.ts'

/** Refuses an event for the one thing that is wrong with it: by that code when a whole request may have it. */
export function refuseFor(error: FieldError): { readonly refusal: Refusal } {
  const code = ERRORS[error.code].status === null ? 'validation_failed' : error.code
  return refused(code, error.detail, [error])
}

/** The verdict on one event of a batch: the code that it would have got alone, where it is wrong, and all that is. */
export function refuseEvent(line: number, { code, detail: whole, errors }: Refusal): RefusedLine {
  const detail = errors.length === 0 ? whole : errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code, detail, pointer: errors[0]?.pointer || null }
}
