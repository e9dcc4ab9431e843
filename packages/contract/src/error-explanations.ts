import { FIELD_ERRORS } from './error-explanations/field-errors.ts'
import type { Explanation } from './error-explanations/explanation.ts'
import { REQUEST_ERRORS } from './error-explanations/request-errors.ts'
import type { ErrorCode } from './errors.ts'

/** Every code of the catalogue, explained. A code that is added to it must be added here: the types say so. */
export const ERROR_EXPLANATIONS: Readonly<Record<ErrorCode, Explanation>> = {
  ...REQUEST_ERRORS,
  ...FIELD_ERRORS,
}
