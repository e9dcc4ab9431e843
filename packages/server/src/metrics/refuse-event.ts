import { ERRORS, type FieldError } from '@spoor/contract/errors'
import { DomainError } from '../lib/domain-error.ts'
import type { RefusedLine } from '../lib/line-group.ts'

/** The error of a whole request that sent one event with this wrong. */
export function eventError(error: FieldError): DomainError {
  const code = ERRORS[error.code].status === null ? 'validation_failed' : error.code
  return new DomainError(code, error.detail, { errors: [error] })
}

/** The verdict on one event of a batch: the code that it would have got alone, where it is wrong, and all that is. */
export function refuseEvent(line: number, error: DomainError): RefusedLine {
  const { code, errors } = error
  const detail = errors.length === 0 ? error.message : errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code, detail, pointer: errors[0]?.pointer || null }
}
