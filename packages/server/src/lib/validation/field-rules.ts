import type { Limits } from '@spoor/contract/limits'
import { TIMESTAMP_PATTERN } from '@spoor/contract/schemas/traces/trace-body'
import { type Fields, isFields } from '@spoor/payloads/json'
import type { FieldErrors, Place } from './field-errors.ts'
import { JsonScanner } from '../json/json-scan.ts'
import { type ObjectOutline, outlineObject, repeatedNames } from '../json/object-outline.ts'
import { readTimestamp } from '../time/timestamp.ts'

/*
 * Rules for bodies that JSON Schema cannot express. They accept a value of any shape and ignore wrong types, which the
 * schema reports, so that one answer names every error in a body.
 */

/** Adds `duplicate_field` for every duplicate field in `outline`. Fast if there is none. */
export function checkRepeatedFields(
  bytes: Buffer,
  fields: Fields,
  outline: ObjectOutline,
  place: Place | null,
  errors: FieldErrors,
): void {
  if (outline.memberCount === Object.keys(fields).length) return
  for (const name of repeatedNames(bytes, outline)) {
    errors.addRepeated({ parent: place, key: name })
  }
}

/** The same for an object one level below, such as `token_usage`. `name` MUST NOT be a duplicate itself. */
export function checkRepeatedFieldsOf(
  bytes: Buffer,
  fields: Fields,
  name: string,
  outline: ObjectOutline,
  place: Place | null,
  errors: FieldErrors,
): void {
  const value = fields[name]
  if (!isFields(value)) return
  const member = outline.members[Object.keys(fields).indexOf(name)]
  if (member === undefined || member.memberCount === Object.keys(value).length) return
  const inner = outlineObject(new JsonScanner(bytes.subarray(member.start, member.end), Infinity))
  if (inner === null) return
  checkRepeatedFields(bytes.subarray(member.start, member.end), value, inner, { parent: place, key: name }, errors)
}

/** A lone surrogate cannot be stored as UTF-8. */
export function checkUnicode(fields: Fields, name: string, place: Place | null, errors: FieldErrors): void {
  const value = fields[name]
  if (typeof value !== 'string' || value.isWellFormed()) return
  errors.add({ parent: place, key: name }, 'invalid_value', 'It must be valid Unicode without lone surrogates.')
}

/** For texts that traces can be filtered by: NUL separates the parts of search terms. */
export function checkFilterText(fields: Fields, name: string, place: Place | null, errors: FieldErrors): void {
  checkUnicode(fields, name, place, errors)
  const value = fields[name]
  if (typeof value !== 'string' || !value.includes('\0')) return
  errors.add({ parent: place, key: name }, 'invalid_value', 'It must not contain the character NUL (\\u0000).')
}

export function checkMetadata(fields: Fields, limits: Limits, place: Place | null, errors: FieldErrors): void {
  const value = fields['metadata']
  if (!isFields(value)) return
  const keys = Object.keys(value)
  if (keys.length > limits.metadataKeys) {
    errors.add({ parent: place, key: 'metadata' }, 'too_many', `It must have at most ${limits.metadataKeys} keys.`)
    return
  }
  for (const key of keys) {
    if (key.length <= limits.metadataKeyLength) continue
    const at = { parent: { parent: place, key: 'metadata' }, key }
    errors.add(at, 'too_long', `A metadata key must have at most ${limits.metadataKeyLength} characters.`)
  }
}

/** The schema reports texts that do not have the format of a time. */
const TIMESTAMP = new RegExp(TIMESTAMP_PATTERN, 'u')

/** The time in milliseconds since 1970 UTC; null if the field is absent or wrong. */
export function checkTime(fields: Fields, name: string, place: Place | null, errors: FieldErrors): number | null {
  const value = fields[name]
  if (typeof value !== 'string' || !TIMESTAMP.test(value)) return null
  const reading = readTimestamp(value)
  if (typeof reading === 'number') return reading
  const at = { parent: place, key: name }
  if (reading === 'not_on_calendar') errors.add(at, 'invalid_format', 'The day does not exist.')
  else errors.add(at, 'out_of_range', 'It must be in the years 1970 to 9999 (UTC).')
  return null
}
