import type { IsPersonal } from './personal-words.ts'

const WORD = /\p{L}[\p{L}\p{M}]+/gu
/**
 * E-mail addresses and handles, web addresses, five digits or more with any separators, and letters joined with two
 * digits or more by an underscore.
 */
const IDENTIFIER = /@|:\/\/|www[.]|\p{N}(?:[-.()\s]{0,2}\p{N}){4,}|\p{L}_\p{N}{2,}/u
/** Letters and digits mixed as in a booking number: at least two changes between them; "gpt-4" and "2024a" have one. */
const MIXED = /(?:\p{L}+\p{N}+\p{L}|\p{N}+\p{L}+\p{N})/u

/** Whether a text about a cluster contains anything that identifies a person or a single trace. */
export function holdsPersonalData(text: string, isPersonal: IsPersonal): boolean {
  if (IDENTIFIER.test(text) || MIXED.test(text)) return true
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase()).some(isPersonal)
}
