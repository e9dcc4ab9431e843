import { FIELD_ERRORS } from './error-explanations/field-errors.ts'
import type { Explanation } from './error-explanations/explanation.ts'
import { REQUEST_ERRORS } from './error-explanations/request-errors.ts'
import type { ErrorCode } from './errors.ts'

/** Explains every code of the catalogue. The types require an entry for a new code. */
export const ERROR_EXPLANATIONS: Readonly<Record<ErrorCode, Explanation>> = {
  ...REQUEST_ERRORS,
  ...FIELD_ERRORS,
}
