import type { ErrorCode } from '@spoor/contract/errors'
import { NOT_BLANK, TIME_PATTERN } from '@spoor/contract/schemas/primitives'
import { isFields } from '@spoor/payloads/json'
import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Pointer } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { Errors } from 'typebox/value'
import { compileCheck } from './compile-check.ts'
import { type FieldErrors, type Place, shorten } from './field-errors.ts'
import { nearestName } from './nearest-name.ts'
import { MOST_ERRORS } from './validation-failed.ts'

/** The library reports one place up to three times (for length, format and pattern): more than are answered. */
Settings.Set({ maxErrors: 4 * MOST_ERRORS })

/** The keywords that this file reads; the library evaluates all others. */
interface SchemaPart extends TSchema {
  readonly type?: string
  readonly title?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly items?: SchemaPart
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaPart[]
  readonly minimum?: number
  readonly maximum?: number
}

/** Adds what is wrong with a value at `place`, until `errors` is full. */
type CollectErrors = (value: unknown, place: Place | null, errors: FieldErrors) => void

interface ListItems {
  readonly accepts: (item: unknown) => boolean
  readonly collect: CollectErrors
}

/**
 * Words the errors of the library: each missing and each unknown field, and one error for any other place. Adds at
 * least one error for a value that the schema refuses.
 *
 * The library interprets the schema to find errors, which takes 20 times as long as its compiled check. So lists of
 * objects, which can have 50,000 items, are not left to it: the compiled check finds the items that have errors.
 */
export function compileErrorCollector(schema: SchemaPart): CollectErrors {
  let lists: ReadonlyMap<string, ListItems> | undefined
  let own = schema
  return (value, place, errors) => {
    if (lists === undefined) {
      lists = compileLists(schema)
      own = withoutItems(schema, lists)
    }
    const unknown = collectOwnErrors(own, value, place, errors)
    for (const [key, { accepts, collect }] of lists) {
      const items = isFields(value) && Object.hasOwn(value, key) ? value[key] : null
      if (!Array.isArray(items)) continue
      for (let index = 0; index < items.length && !errors.isFull; index++) {
        if (!accepts(items[index])) collect(items[index], { parent: { parent: place, key }, key: index }, errors)
      }
    }
    for (const field of unknown) errors.addUnknown(field.place, field.known)
  }
}

function compileLists({ properties = {} }: SchemaPart): ReadonlyMap<string, ListItems> {
  const lists = Object.entries(properties).flatMap(([name, { items }]) => {
    if (items?.type !== 'object') return []
    return [[name, { accepts: compileCheck(items), collect: compileErrorCollector(items) }] as const]
  })
  return new Map(lists)
}

function withoutItems(schema: SchemaPart, lists: ReadonlyMap<string, ListItems>): SchemaPart {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { items: _, ...list } = property
    return [name, lists.has(name) ? list : property]
  })
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, SchemaPart> }
}

/** Returns the unknown fields, which are reported after all other errors. */
function collectOwnErrors(schema: SchemaPart, value: unknown, parent: Place | null, errors: FieldErrors) {
  const reported = new Set<string>()
  const unknown: { readonly place: Place; readonly known: readonly string[] }[] = []
  for (const error of Errors(schema, value)) {
    const { keyword, schemaPath, instancePath, params } = error
    // Both summarize errors that are reported themselves.
    if (keyword === 'anyOf' || keyword === 'additionalProperties') continue
    const place = toPlace(parent, instancePath)
    if (keyword === 'required') {
      for (const key of params.requiredProperties) errors.addRequired({ parent: place, key })
    } else if (keyword === 'boolean' && place !== null) {
      // The schema of an unknown field is `additionalProperties: false`.
      const { properties = {} } = valueAt(schema, schemaPath.slice(1, schemaPath.lastIndexOf('/'))) as SchemaPart
      unknown.push({ place, known: Object.keys(properties) })
    } else if (!reported.has(instancePath)) {
      reported.add(instancePath)
      const part = valueAt(schema, schemaPath.slice(1)) as SchemaPart
      errors.add(place, ...explain(error, part, valueAt(value, instancePath), alternativesOf(schema, schemaPath)))
    }
  }
  return unknown
}

/** The titles of the other schemas of an `anyOf`, when the path leads into one. */
function alternativesOf(schema: SchemaPart, schemaPath: string): readonly string[] {
  const [, above] = /^#?(.*)\/anyOf\/\d+$/.exec(schemaPath) ?? []
  if (above === undefined) return []
  const { anyOf = [] } = valueAt(schema, above) as SchemaPart
  return anyOf.flatMap(({ title }) => title ?? [])
}

function toPlace(parent: Place | null, pointer: string): Place | null {
  return Pointer.Indices(pointer).reduce<Place | null>((above, key) => ({ parent: above, key }), parent)
}

function valueAt(value: unknown, pointer: string): unknown {
  return Pointer.Indices(pointer).reduce((at, key) => (at as Readonly<Record<string, unknown>>)[key], value)
}

function explain(
  { keyword, params, message }: TLocalizedValidationError,
  schema: SchemaPart,
  value: unknown,
  alternatives: readonly string[],
): [ErrorCode, string] {
  switch (keyword) {
    case 'type':
      return schema.enum === undefined
        ? explainType([params.type].flat(), schema, value)
        : explainEnum(schema.enum, value, alternatives)
    case 'enum':
      return explainEnum(params.allowedValues, value, alternatives)
    case 'minimum':
    case 'maximum':
      return ['out_of_range', `It must be ${params.comparison} ${params.limit}.`]
    case 'minLength':
      return ['too_short', value === '' ? 'It must not be empty.' : `It must have at least ${params.limit} characters.`]
    case 'maxLength':
      return ['too_long', `It must have at most ${params.limit} characters.`]
    case 'minItems':
      return ['too_short', `It must have at least ${count(params.limit, 'item')}.`]
    case 'maxItems':
      return ['too_many', `It must have at most ${count(params.limit, 'item')}.`]
    case 'minProperties':
      return ['invalid_value', `It must have at least ${count(params.limit, 'field')}.`]
    case 'maxProperties':
      return ['invalid_value', `It must have at most ${count(params.limit, 'field')}.`]
    case 'pattern':
      if (params.pattern === TIME_PATTERN) return ['invalid_format', NOT_A_TIME]
      if (params.pattern === NOT_BLANK) return ['too_short', 'It must contain a word.']
      return ['invalid_format', `It must be a ${schema.title ?? `text matching ${params.pattern}`}.`]
    case 'format':
      return ['invalid_format', FORMATS[params.format] ?? `It ${message}.`]
    default:
      return ['invalid_value', `It ${message}.`]
  }
}

export const NOT_A_TIME = 'It must be an ISO 8601 time, like 2026-01-31T12:00:00Z.'

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'It must be an RFC 3339 time, like 2026-01-31T12:00:00Z.',
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  string: 'a string',
  array: 'an array',
  object: 'an object',
}

function explainType(types: readonly string[], schema: SchemaPart, value: unknown): [ErrorCode, string] {
  if (typeof value === 'number' && types.some((type) => type === 'number' || type === 'integer')) {
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (!Number.isFinite(value)) return ['out_of_range', 'It must be a number that 64 bits can hold.']
    if (value < minimum) return ['out_of_range', `It must be >= ${minimum}.`]
    if (value > maximum) return ['out_of_range', `It must be <= ${maximum}.`]
    return ['wrong_type', 'It must be an integer, not a fraction.']
  }
  const allowed = types.map((type) => TYPES[type] ?? type).join(' or ')
  return ['wrong_type', `It must be ${allowed}, not ${describeType(value)}.`]
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function explainEnum(
  allowed: readonly unknown[],
  value: unknown,
  alternatives: readonly string[],
): [ErrorCode, string] {
  const names = allowed.map(String)
  const nearest = typeof value === 'string' ? nearestName(value, names) : null
  const given = typeof value === 'string' ? `, not ${JSON.stringify(shorten(value))}` : ''
  const hint = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  const others = alternatives.map((title) => `, or ${title}`).join('')
  return ['invalid_value', `It must be one of ${names.join(', ')}${others}${given}.${hint}`]
}

function count(limit: number, noun: string): string {
  return limit === 1 ? `one ${noun}` : `${limit} ${noun}s`
}
