import { isAscii, isUtf8 } from 'node:buffer'
import { findJsonError, type JsonError, searchJsonError } from './json-error.ts'
import type { JsonScanner } from './json-scan.ts'
import { type Outcome, type Refusal, refused, valueOf } from '../validation/refusal.ts'
import { refuseInvalid } from '../validation/validation-failed.ts'

/**
 * Parses the JSON text that `scanner` has scanned. Refused: `invalid_encoding`, `malformed_json`, or
 * `validation_failed` with `too_deep`. Depth is checked first, on the raw bytes, so that hostile nesting never reaches
 * the parser.
 */
export function readScannedJson(scanner: JsonScanner): Outcome<unknown> {
  const { bytes } = scanner
  if (scanner.failure === 'too_deep') return refuseDepth(scanner)
  const text = decode(bytes)
  if (text === null) return refuseEncoding()
  // A text that the scanner calls malformed is not JSON: this avoids the parser's SyntaxError and its stack.
  if (scanner.failure !== null) return refuseMalformed(findJsonError(bytes), null)
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return refuseMalformed(findJsonError(bytes), error)
  }
}

/** Why `readScannedJson` refuses a text that is not JSON or nests too deeply. Yields like `searchJsonError`. */
export function* refuseScannedJson(scanner: JsonScanner): Generator<void, RefusedJson> {
  const { bytes } = scanner
  if (scanner.failure === 'too_deep') return refuseDepth(scanner)
  if (!isUtf8(bytes)) return refuseEncoding()
  return refuseMalformed(yield* searchJsonError(bytes), null)
}

/** Like `readScannedJson`, but throws DomainError. */
export function parseScannedJson(scanner: JsonScanner): unknown {
  return valueOf(readScannedJson(scanner))
}

type RefusedJson = { readonly refusal: Refusal }

function refuseDepth({ maxDepth, position }: JsonScanner): RefusedJson {
  const detail = `Objects and arrays are nested more than ${maxDepth} levels deep at byte ${position}.`
  return refuseInvalid({ pointer: '', code: 'too_deep', detail })
}

function refuseEncoding(): RefusedJson {
  return refused('invalid_encoding', 'The body must be UTF-8.')
}

function refuseMalformed(found: JsonError | null, cause: SyntaxError | null): RefusedJson {
  if (found === null) throw new Error('a valid JSON text was reported as malformed', { cause })
  const { line, column, offset, reason } = found
  return refused('malformed_json', `Line ${line}, column ${column} (byte ${offset}): ${reason}.`)
}

/** ASCII needs no decoder, which halves the cost of the common case. Null if the bytes are not UTF-8. */
function decode(bytes: Buffer): string | null {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : null
}
