import type { TObject } from 'typebox'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { invalidFields, MOST_ERRORS } from '../../lib/validation/validation-failed.ts'
import { compileCollector } from '../../lib/validation/validator.ts'
import { compileTimes, isRequestTime, type WithTimes } from './request-times.ts'

interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly pattern?: string
}

/** The pairs of the query of a request target, in order. Never throws: an invalid escape is kept as text. */
export function queryPairs(target: string): URLSearchParams {
  const at = target.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1))
}

/**
 * Reads query parameters by a schema that describes their meaning: integers, booleans, lists and times are text on the
 * wire. Refuses parameters that the schema does not name, unless it says that it has others, and repeated parameters
 * that are not lists.
 */
export function compileQuery<S extends TObject>(schema: S): (target: string) => WithTimes<S> {
  const properties = schema.properties as Readonly<Record<string, PropertySchema>>
  const known = Object.keys(properties)
  const collect = compileCollector(schema)
  const readTimes = compileTimes(schema)
  const takesOthers = (schema as { additionalProperties?: unknown }).additionalProperties === true
  return (target) => {
    const errors = new FieldErrors(MOST_ERRORS, { of: 'query' })
    const values = new Map<string, unknown>()
    const unknown = new Set<string>()
    const repeated = new Set<string>()
    for (const [name, text] of queryPairs(target)) {
      if (addByKey(values, properties, name, text)) continue
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      const given = values.get(name)
      if (property === undefined) {
        if (!takesOthers) unknown.add(name)
      } else if (given === undefined) values.set(name, property.type === 'array' ? [text] : toValue(property, text))
      else if (takesList(property)) values.set(name, [given, text].flat())
      else repeated.add(name)
    }
    for (const name of unknown) errors.addUnknown({ parent: null, key: name }, known)
    for (const name of repeated) errors.addRepeated({ parent: null, key: name })
    const query = Object.fromEntries(values)
    // Errors in names are reported first and alone: a misspelt name would also be reported as missing.
    if (errors.isEmpty) collect(query, errors)
    if (errors.isEmpty) readTimes(query, errors)
    if (!errors.isEmpty) throw invalidFields(errors)
    return query as WithTimes<S>
  }
}

/** A parameter whose name is that of an object, a dot and a key is a member of that object. */
function addByKey(
  values: Map<string, unknown>,
  properties: Readonly<Record<string, PropertySchema>>,
  name: string,
  text: string,
): boolean {
  const dot = name.indexOf('.')
  const of = name.slice(0, dot)
  if (dot === -1 || !Object.hasOwn(properties, of) || properties[of]?.type !== 'object') return false
  const key = name.slice(dot + 1)
  const given = values.get(of)
  const members = (typeof given === 'object' ? given : Object.create(null)) as Record<string, unknown>
  members[key] = members[key] === undefined ? text : [members[key], text].flat()
  values.set(of, members)
  return true
}

/** A parameter that may be a list or a text is a list when it is repeated. */
function takesList({ type }: PropertySchema): boolean {
  return type === 'array' || (typeof type === 'object' && type.includes('array'))
}

/** Leaves text that does not match its type unchanged, so that the schema refuses it. */
function toValue(property: PropertySchema, text: string): unknown {
  // An integer may have any number of digits: a huge limit is lowered like any other.
  if (property.type === 'integer' && /^-?\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  if (property.type === 'number' && /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(text)) return Number(text)
  if (property.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  // An unescaped plus sign is decoded as a space.
  return isRequestTime(property) ? text.replace(' ', '+') : text
}
