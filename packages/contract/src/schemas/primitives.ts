import { Type } from 'typebox'
import { CONTROL_NAME_LENGTH } from '../limits.ts'
import type { Id, IdPrefix } from '../ids.ts'

/** `null` means unknown or not applicable. A type union, as in JSON Schema 2020-12 and OpenAPI 3.1. */
export function nullableString(options: Readonly<Record<string, unknown>>) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function nullableInteger(options: Readonly<Record<string, unknown>>) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

/** Exactly what the service writes: UTC with milliseconds. */
const PRINTED_TIME = {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
} as const

export function printedTime(description: string) {
  return Type.String({ ...PRINTED_TIME, description })
}

export function nullablePrintedTime(description: string) {
  return nullableString({ ...PRINTED_TIME, description })
}

/** The schema of what `isId` in ids.ts accepts. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

export function idString(prefix: IdPrefix, description: string) {
  return Type.String({ pattern: idPattern(prefix), description })
}

/** The same for ids in requests: a valid value has the type of an id. */
export function idParameter<P extends IdPrefix>(prefix: P, description: string) {
  return Type.Unsafe<Id<P>>({ type: 'string', pattern: idPattern(prefix), description })
}

export function nullableIdString(prefix: IdPrefix, description: string) {
  return nullableString({ pattern: idPattern(prefix), description })
}

/** A count, a size or a number of tokens. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

export function controlName() {
  return Type.String({
    minLength: 1,
    maxLength: CONTROL_NAME_LENGTH,
    description: 'The name: at least one visible character, no control characters. It need not be unique.',
  })
}
