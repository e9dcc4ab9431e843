import type { TraceText } from '../text/trace-text.ts'

/** Characters (UTF-16 code units) of what was asked, and of what was done. Together no text of any script is more than the 8,192 tokens that models commonly take: a code unit is three at most. */
const ASKED_LENGTH = 1700
const DONE_LENGTH = 280

/** The most characters that a text has. */
export const ENDPOINT_TEXT_LENGTH = 2000

/** What an endpoint is sent of a trace: what the user asked, then the names of steps and classes of errors, each once. Empty when there is nothing to tell. */
export function endpointText({ asked, done }: TraceText): string {
  const request = beginning(asked.join('\n'), ASKED_LENGTH)
  const steps = beginning([...new Set(done.filter((term) => !term.startsWith('type:')))].join(', '), DONE_LENGTH)
  return [request, steps === '' ? '' : `Steps: ${steps}`].filter((part) => part !== '').join('\n')
}

/** Plain text: control characters are what some tokenizers and JSON parsers fall over. */
function beginning(text: string, length: number): string {
  const plain = text.slice(0, 2 * length).replaceAll(/[\p{Cc}\p{Zs}]+/gu, ' ').trim() // prettier-ignore
  return plain.slice(0, length).toWellFormed()
}
