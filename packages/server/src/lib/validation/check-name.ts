import type { FieldError } from '@spoor/contract/errors'
import { CONTROL_NAME_LENGTH } from '@spoor/contract/limits'

/**
 * The error of the name of a project, key, view or cluster, null when it is valid. Control characters are refused,
 * because names are printed to terminals and logs.
 */
export function checkName(name: string, pointer = '/name'): FieldError | null {
  if (name.trim() === '') return { pointer, code: 'too_short', detail: 'A name has at least one visible character.' }
  if (name.length > CONTROL_NAME_LENGTH)
    return { pointer, code: 'too_long', detail: `A name has at most ${CONTROL_NAME_LENGTH} characters.` }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    return { pointer, code: 'invalid_format', detail: 'A name has no control characters and is well-formed Unicode.' }
  }
  return null
}
