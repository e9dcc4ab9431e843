import { TIME_PATTERN, type TRequestTime } from '@spoor/contract/schemas/primitives'
import type { Static, TObject, TSchema } from 'typebox'
import type { FieldErrors } from '../../lib/validation/field-errors.ts'
import { NOT_A_TIME } from '../../lib/validation/schema-errors.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

/** The values that a schema describes, with each time as milliseconds since 1970 UTC. */
export type WithTimes<S extends TObject> = {
  [Name in keyof Static<S>]: Name extends keyof S['properties']
    ? S['properties'][Name] extends TRequestTime
      ? number
      : Static<S>[Name]
    : Static<S>[Name]
}

const GRAMMAR = new RegExp(TIME_PATTERN)

export function isRequestTime({ pattern }: { readonly pattern?: unknown }): boolean {
  return pattern === TIME_PATTERN
}

/**
 * Replaces the times in values that match the schema, in place. No pattern knows the calendar: an error is added for a
 * day or an hour that does not exist.
 */
export function compileTimes(schema: TSchema): (values: unknown, errors: FieldErrors) => void {
  const { properties = {} } = schema as {
    readonly properties?: Readonly<Record<string, { readonly pattern?: unknown }>>
  }
  const names = Object.keys(properties).filter((name) => isRequestTime(properties[name] ?? {}))
  return (values, errors) => {
    const found = values as Record<string, unknown>
    for (const name of names) {
      const text = found[name]
      if (typeof text !== 'string') continue
      const at = parseTime(text)
      if (at === null) errors.add({ parent: null, key: name }, 'invalid_format', NOT_A_TIME)
      else found[name] = at
    }
  }
}

/** For a time of a body that has another schema. Throws `validation_failed` with the pointer. */
export function bodyTime(pointer: string, text: string | null): number | null {
  if (text === null) return null
  const at = parseTime(text)
  if (at === null) throw invalid({ pointer, code: 'invalid_format', detail: NOT_A_TIME })
  return at
}

function parseTime(text: string): number | null {
  const at = GRAMMAR.test(text) && isOnCalendar(text.slice(0, 10)) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : at
}

/** Date.parse would accept 31 February as 3 March. */
function isOnCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
