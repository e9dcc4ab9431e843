import type { IsPersonal } from './personal-words.ts'

const WORD = /\p{L}[\p{L}\p{M}]+/gu
/** E-mail addresses and handles, addresses of the web, five digits or more with whatever separates them, and letters joined with two digits or more by an underscore. */
const IDENTIFIER = /@|:\/\/|www[.]|\p{N}(?:[-.()\s]{0,2}\p{N}){4,}|\p{L}_\p{N}{2,}/u
/** Letters and digits mixed, as in the number of a booking: two changes at least between them, "gpt-4" and "2024a" have one. */
const MIXED = /(?:\p{L}+\p{N}+\p{L}|\p{N}+\p{L}+\p{N})/u

/** Whether a text that somebody wrote about a cluster repeats what identifies a person or a single trace. */
export function holdsPersonalData(text: string, isPersonal: IsPersonal): boolean {
  if (IDENTIFIER.test(text) || MIXED.test(text)) return true
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase()).some(isPersonal)
}
