import { isAscii, isUtf8 } from 'node:buffer'
import { DomainError } from './domain-error.ts'
import { findJsonError } from './json-error.ts'
import type { JsonScanner } from './json-scan.ts'

/**
 * The value of a JSON text that `scanner` has gone over as far as it could. Throws DomainError `invalid_encoding`, `malformed_json`, or
 * `validation_failed` with `too_deep`: depth is judged first, on the raw bytes, so that no hostile nesting reaches a parser.
 */
export function parseScannedJson(scanner: JsonScanner): unknown {
  const { bytes } = scanner
  if (scanner.failure === 'too_deep') {
    const detail = `Objects and arrays nest deeper than ${scanner.maxDepth} levels at byte ${scanner.position}.`
    throw new DomainError('validation_failed', detail, { errors: [{ pointer: '', code: 'too_deep', detail }] })
  }
  let value: unknown
  try {
    value = JSON.parse(decode(bytes))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const found = findJsonError(bytes)
    if (found === null) throw error
    const { line, column, offset, reason } = found
    throw new DomainError('malformed_json', `Line ${line}, column ${column} (byte ${offset}): ${reason}.`)
  }
  if (scanner.failure !== null) throw new Error('the scanner refused a text that JSON.parse accepts')
  return value
}

/** One-byte text is cut out without a decoder: half the cost for the common case. */
function decode(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw new DomainError('invalid_encoding', 'The body must be UTF-8.')
  return bytes.toString('utf8')
}
