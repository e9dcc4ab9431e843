import { IsDateTime } from 'typebox/format'
import { type FieldErrors, type Place, shorten } from './field-errors.ts'
import { nearestName } from './nearest-name.ts'

/**
 * The part of JSON Schema that the contract's requests use. Anything else throws, so that no rule is ever skipped in
 * silence.
 */
export interface BodySchema {
  /** Several: any of them. */
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly examples?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[] | undefined
  /** Of fields that `properties` does not name: whether there may be any, or of which form. */
  readonly additionalProperties?: boolean | BodySchema
  readonly minProperties?: number
  readonly maxProperties?: number
  /** Beside `properties`: at least one of these sets of fields must be there. */
  readonly anyOf?: readonly { readonly required: readonly string[] }[]
  readonly items?: BodySchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'date-time'
  readonly minimum?: number
  readonly maximum?: number
}

const KEYWORDS: ReadonlySet<string> = new Set<keyof BodySchema>([
  'type',
  'title',
  'description',
  'examples',
  'default',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'anyOf',
  'items',
  'minItems',
  'maxItems',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
])

/** Throws for a keyword that `collectSchemaErrors` does not know, anywhere in the schema. */
export function assertKnownSchema(schema: BodySchema): void {
  for (const keyword in schema)
    if (!KEYWORDS.has(keyword)) throw new Error(`schema keyword ${keyword} is not known here`)
  if (schema.format !== undefined && schema.format !== 'date-time') {
    throw new Error(`schema format ${String(schema.format)} is not known here`)
  }
  for (const property of Object.values(schema.properties ?? {})) assertKnownSchema(property)
  if (schema.items !== undefined) assertKnownSchema(schema.items)
  if (typeof schema.additionalProperties === 'object') assertKnownSchema(schema.additionalProperties)
}

/**
 * Adds everything that `schema` finds wrong with `value`, until `errors` is full. Adds nothing exactly when the
 * compiled schema accepts the value; the compiled check is the fast judge, this one says why. Recursion follows the
 * schema, never the value's own depth.
 */
export function collectSchemaErrors(
  schema: BodySchema,
  value: unknown,
  place: Place | null,
  errors: FieldErrors,
): void {
  if (errors.isFull) return
  if (schema.enum !== undefined) {
    if (!schema.enum.includes(value)) addUnknownValue(schema.enum, value, place, errors)
    return
  }
  if (Array.isArray(schema.type)) return collectUnionErrors(schema, schema.type, value, place, errors)
  switch (schema.type) {
    case 'boolean':
      if (typeof value !== 'boolean') addWrongType('true or false', value, place, errors)
      return
    case 'number':
      return collectNumberErrors(schema, value, place, errors)
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

function collectNumberErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'number') return addWrongType('a number', value, place, errors)
  if (!Number.isFinite(value)) errors.add(place, 'out_of_range', 'It must be a number that 64 bits can hold.')
  else collectRangeErrors(schema, value, place, errors)
}

function collectRangeErrors(schema: BodySchema, value: number, place: Place | null, errors: FieldErrors): void {
  const { minimum = -Infinity, maximum = Infinity } = schema
  if (value < minimum) errors.add(place, 'out_of_range', `It must be >= ${minimum}.`)
  else if (value > maximum) errors.add(place, 'out_of_range', `It must be <= ${maximum}.`)
}

function collectStringErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'string') return addWrongType('a string', value, place, errors)
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema
  if (value.length === 0 && minLength > 0) return errors.add(place, 'too_short', 'It must not be empty.')
  if (hasFewerCharacters(value, minLength)) {
    return errors.add(place, 'too_short', `It must have at least ${minLength} characters.`)
  }
  if (!hasFewerCharacters(value, maxLength + 1)) {
    return errors.add(place, 'too_long', `It must have at most ${maxLength} characters.`)
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    errors.add(place, 'invalid_format', `It must be a ${schema.title ?? `text matching ${pattern}`}.`)
  }
  if (format === 'date-time' && !IsDateTime(value)) {
    errors.add(place, 'invalid_format', 'It must be an RFC 3339 time, like 2026-01-31T12:00:00Z.')
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
  if (value < minimum || value > maximum) collectRangeErrors(schema, value, place, errors)
  else if (!Number.isInteger(value)) errors.add(place, 'wrong_type', 'It must be an integer, not a fraction.')
}

function collectArrayErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (!Array.isArray(value)) return addWrongType('an array', value, place, errors)
  const { items, minItems = 0, maxItems = Infinity } = schema
  if (value.length < minItems) errors.add(place, 'too_short', `It must have at least ${minItems} items.`)
  if (value.length > maxItems) errors.add(place, 'too_many', `It must have at most ${maxItems} items.`)
  if (items === undefined) return
  for (let index = 0; index < value.length && !errors.isFull; index++) {
    collectSchemaErrors(items, value[index], { parent: place, key: index }, errors)
  }
}

function collectObjectErrors(schema: BodySchema, value: unknown, place: Place | null, errors: FieldErrors): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return addWrongType('an object', value, place, errors)
  }
  const { properties = {}, required = [] } = schema
  const fields = value as Readonly<Record<string, unknown>>
  collectCountErrors(schema, Object.keys(fields).length, place, errors)
  for (const name of [...required, ...lackingOf(schema, fields)]) {
    if (!Object.hasOwn(fields, name)) errors.addRequired({ parent: place, key: name })
  }
  for (const name in properties) {
    const property = properties[name]
    if (property === undefined || !Object.hasOwn(fields, name)) continue
    collectSchemaErrors(property, fields[name], { parent: place, key: name }, errors)
  }
  collectOtherFields(schema, fields, place, errors)
}

function collectCountErrors(schema: BodySchema, count: number, place: Place | null, errors: FieldErrors): void {
  const { minProperties = 0, maxProperties = Infinity } = schema
  if (count < minProperties) errors.add(place, 'invalid_value', `It must have at least ${fieldCount(minProperties)}.`)
  if (count > maxProperties) errors.add(place, 'invalid_value', `It must have at most ${fieldCount(maxProperties)}.`)
}

function fieldCount(count: number): string {
  return count === 1 ? 'one field' : `${count} fields`
}

/** Each field that would do, when none of the sets of `anyOf` is there. */
function lackingOf({ anyOf }: BodySchema, fields: Readonly<Record<string, unknown>>): readonly string[] {
  const has = (name: string) => Object.hasOwn(fields, name)
  if (anyOf === undefined || anyOf.some(({ required }) => required.every(has))) return []
  return anyOf.flatMap(({ required }) => required)
}

/** Those that `properties` does not name. */
function collectOtherFields(
  { properties = {}, additionalProperties = true }: BodySchema,
  fields: Readonly<Record<string, unknown>>,
  parent: Place | null,
  errors: FieldErrors,
): void {
  if (additionalProperties === true) return
  const known = Object.keys(properties)
  for (const name in fields) {
    if (errors.isFull) return
    if (Object.hasOwn(properties, name)) continue
    const place = { parent, key: name }
    if (additionalProperties === false) errors.addUnknown(place, known)
    else collectSchemaErrors(additionalProperties, fields[name], place, errors)
  }
}

function addWrongType(wanted: string, value: unknown, place: Place | null, errors: FieldErrors): void {
  errors.add(place, 'wrong_type', `It must be ${wanted}, not ${describeType(value)}.`)
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function addUnknownValue(allowed: readonly unknown[], value: unknown, place: Place | null, errors: FieldErrors): void {
  const names = allowed.map(String)
  const nearest = typeof value === 'string' ? nearestName(value, names) : null
  const given = typeof value === 'string' ? `, not ${JSON.stringify(shorten(value))}` : ''
  const hint = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  errors.add(place, 'invalid_value', `It must be one of ${names.join(', ')}${given}.${hint}`)
}
