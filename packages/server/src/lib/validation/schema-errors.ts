import type { FieldErrors, Place } from './field-errors.ts'
import { shorten } from './field-errors.ts'
import { nearestName } from './nearest-name.ts'

/** The part of JSON Schema that the contract's bodies use. Anything else throws, so that no rule is ever skipped in silence. */
export interface BodySchema {
  /** Several: any of them. */
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly examples?: unknown
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: boolean
  readonly items?: BodySchema
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

const KEYWORDS: ReadonlySet<string> = new Set<keyof BodySchema>([
  'type',
  'title',
  'description',
  'examples',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
])

/**
 * Adds everything that `schema` finds wrong with `value`, until `errors` is full. Adds nothing exactly when the compiled schema accepts
 * the value; the compiled check is the fast judge, this one says why. Recursion follows the schema, never the value's own depth.
 */
export function collectSchemaErrors(
  schema: BodySchema,
  value: unknown,
  place: Place | null,
  errors: FieldErrors,
): void {
  if (errors.isFull) return
  for (const keyword in schema)
    if (!KEYWORDS.has(keyword)) throw new Error(`schema keyword ${keyword} is not known here`)
  if (schema.enum !== undefined) {
    if (!schema.enum.includes(value)) errors.add(place, 'invalid_value', `Must be one of ${quoteAll(schema.enum)}.`)
    return
  }
  if (Array.isArray(schema.type)) return collectUnionErrors(schema, schema.type, value, place, errors)
  switch (schema.type) {
    case 'boolean':
      if (typeof value !== 'boolean') addWrongType('true or false', value, place, errors)
      return
    case 'number':
      return collectNumberErrors(value, place, errors)
    case 'string':
      return collectStringErrors(schema, value, place, errors)
    case 'integer':
      return collectIntegerErrors(schema, value, place, errors)
    case 'array':
      return collectArrayErrors(schema, value, place, errors)
    case 'object':
      return collectObjectErrors(schema, value, place, errors)
    default:
      throw new Error(`schema type ${String(schema.type)} is not known here`)
  }
}

/** Scalars only: the type that the value has decides which rules it is held to. */
function collectUnionErrors(
  schema: BodySchema,
  types: readonly string[],
  value: unknown,
  place: Place | null,
  errors: FieldErrors,
): void {
  const type = value === null ? 'null' : typeof value
  if (!types.includes(type)) {
    const wanted = types.map((name) => (name === 'null' ? name : `a ${name}`)).join(' or ')
    addWrongType(wanted, value, place, errors)
  } else if (type !== 'null') {
    collectSchemaErrors({ ...schema, type }, value, place, errors)
  }
}

function collectNumberErrors(value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'number') return addWrongType('a number', value, place, errors)
  if (!Number.isFinite(value)) errors.add(place, 'out_of_range', 'Must be a number that 64 bits can hold.')
}

function collectStringErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'string') return addWrongType('a string', value, place, errors)
  const { minLength = 0, maxLength = Infinity, pattern } = schema
  if (value.length === 0 && minLength > 0) return errors.add(place, 'too_short', 'Must not be empty.')
  if (hasFewerCharacters(value, minLength)) {
    return errors.add(place, 'too_short', `Must have at least ${minLength} characters.`)
  }
  if (!hasFewerCharacters(value, maxLength + 1)) {
    return errors.add(place, 'too_long', `Must have at most ${maxLength} characters.`)
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    errors.add(place, 'invalid_format', `Must be a ${schema.title ?? `text matching ${pattern}`}.`)
  }
}

/** JSON Schema counts code points. */
function hasFewerCharacters(text: string, count: number): boolean {
  if (text.length < count) return true
  if (text.length >= 2 * count) return false
  let characters = 0
  for (const _ of text) if (++characters >= count) return false
  return true
}

function collectIntegerErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'number') return addWrongType('an integer', value, place, errors)
  const { minimum = -Infinity, maximum = Infinity } = schema
  if (value < minimum || value > maximum) {
    errors.add(place, 'out_of_range', `Must be an integer from ${minimum} to ${maximum}.`)
  } else if (!Number.isInteger(value)) {
    errors.add(place, 'wrong_type', 'Must be an integer, not a fraction.')
  }
}

function collectArrayErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (!Array.isArray(value)) return addWrongType('an array', value, place, errors)
  const { items } = schema
  if (items === undefined) return
  for (let index = 0; index < value.length && !errors.isFull; index++) {
    collectSchemaErrors(items, value[index], { parent: place, key: index }, errors)
  }
}

function collectObjectErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return addWrongType('an object', value, place, errors)
  }
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = value as Readonly<Record<string, unknown>>
  for (const name of required) {
    if (!Object.hasOwn(fields, name)) errors.add({ parent: place, key: name }, 'required', `\`${name}\` is required.`)
  }
  for (const name in properties) {
    const property = properties[name]
    if (property === undefined || !Object.hasOwn(fields, name)) continue
    collectSchemaErrors(property, fields[name], { parent: place, key: name }, errors)
  }
  if (additionalProperties !== false) return
  const known = Object.keys(properties)
  for (const name in fields) {
    if (errors.isFull) return
    if (Object.hasOwn(properties, name)) continue
    addUnknownField(name, known, { parent: place, key: name }, errors)
  }
}

export function addUnknownField(name: string, known: readonly string[], place: Place, errors: FieldErrors): void {
  const nearest = nearestName(name, known)
  const hint = nearest === null ? '' : ` Did you mean \`${nearest}\`?`
  errors.add(place, 'unknown_field', `There is no field \`${shorten(name)}\`.${hint}`)
}

function addWrongType(wanted: string, value: unknown, place: Place | null, errors: FieldErrors): void {
  errors.add(place, 'wrong_type', `Must be ${wanted}, not ${describeType(value)}.`)
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function quoteAll(values: readonly unknown[]): string {
  return values.map((value) => `\`${String(value)}\``).join(', ')
}
