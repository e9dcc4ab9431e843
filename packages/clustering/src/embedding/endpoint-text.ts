import type { TraceText } from '../text/trace-text.ts'

/**
 * Most characters (UTF-16 code units) of the request, and of the steps. Together at most the 8,192 tokens that most
 * models accept, in any script: a code unit is at most three tokens.
 */
const ASKED_LENGTH = 1700
const DONE_LENGTH = 280

/** Most characters of a text. */
export const ENDPOINT_TEXT_LENGTH = 2000

/**
 * The text of a trace for an endpoint: the user's request, then the names of steps and classes of errors, each once.
 * Empty if the trace has neither.
 */
export function endpointText({ asked, done }: TraceText): string {
  const request = beginning(asked.join('\n'), ASKED_LENGTH)
  const steps = beginning([...new Set(done.filter((term) => !term.startsWith('type:')))].join(', '), DONE_LENGTH)
  return [request, steps === '' ? '' : `Steps: ${steps}`].filter((part) => part !== '').join('\n')
}

/** Removes control characters, which break some tokenizers and JSON parsers. */
function beginning(text: string, length: number): string {
  const plain = text.slice(0, 2 * length).replaceAll(/[\p{Cc}\p{Zs}]+/gu, ' ').trim() // prettier-ignore
  return plain.slice(0, length).toWellFormed()
}
