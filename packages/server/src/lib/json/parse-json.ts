import { isAscii, isUtf8 } from 'node:buffer'
import { findJsonError, type JsonError, searchJsonError } from './json-error.ts'
import type { JsonScanner } from './json-scan.ts'
import { type Outcome, type Refusal, refused, valueOf } from '../validation/refusal.ts'

/**
 * The value of a JSON text that `scanner` has gone over as far as it could. Refused: `invalid_encoding`, `malformed_json`, or
 * `validation_failed` with `too_deep`. Depth is checked first, on the raw bytes, so that no hostile nesting reaches a parser.
 */
export function readScannedJson(scanner: JsonScanner): Outcome<unknown> {
  const { bytes } = scanner
  if (scanner.failure === 'too_deep') return refuseDepth(scanner)
  const text = decode(bytes)
  if (text === null) return refuseEncoding()
  // What the scanner calls malformed is not JSON: the parser's SyntaxError, with its stack, is not needed.
  if (scanner.failure !== null) return refuseMalformed(findJsonError(bytes), null)
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return refuseMalformed(findJsonError(bytes), error)
  }
}

/** Why `readScannedJson` refuses a text that is known not to be JSON, or to nest too deep. Yields as `searchJsonError`. */
export function* refuseScannedJson(scanner: JsonScanner): Generator<void, RefusedJson> {
  const { bytes } = scanner
  if (scanner.failure === 'too_deep') return refuseDepth(scanner)
  if (!isUtf8(bytes)) return refuseEncoding()
  return refuseMalformed(yield* searchJsonError(bytes), null)
}

/** The same; throws DomainError for what is refused. */
export function parseScannedJson(scanner: JsonScanner): unknown {
  return valueOf(readScannedJson(scanner))
}

type RefusedJson = { readonly refusal: Refusal }

function refuseDepth({ maxDepth, position }: JsonScanner): RefusedJson {
  const detail = `Objects and arrays nest deeper than ${maxDepth} levels at byte ${position}.`
  return refused('validation_failed', detail, [{ pointer: '', code: 'too_deep', detail }])
}

function refuseEncoding(): RefusedJson {
  return refused('invalid_encoding', 'The body must be UTF-8.')
}

function refuseMalformed(found: JsonError | null, cause: SyntaxError | null): RefusedJson {
  if (found === null) throw new Error('a text that is JSON was called malformed', { cause })
  const { line, column, offset, reason } = found
  return refused('malformed_json', `Line ${line}, column ${column} (byte ${offset}): ${reason}.`)
}

/** One-byte text is cut out without a decoder: half the cost for the common case. Null for what is not UTF-8. */
function decode(bytes: Buffer): string | null {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : null
}
