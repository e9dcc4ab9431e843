import type { TSchema } from 'typebox'
import type { JsonSchema } from './openapi-document.ts'

const SCHEMA_KEYWORDS = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
])
const SCHEMA_LIST_KEYWORDS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const SCHEMA_MAP_KEYWORDS = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/**
 * Converts TypeBox schemas to plain JSON Schema in which every named schema is a `$ref`. A named schema is recognized
 * by its content, because TypeBox copies a schema when it makes it optional.
 */
export class SchemaComponents {
  readonly #named: Readonly<Record<string, TSchema>>
  readonly #nameByContent = new Map<string, string>()
  readonly #referenced = new Set<string>()

  /** Throws when two names have the same content, because a reference would be ambiguous. */
  constructor(named: Readonly<Record<string, TSchema>>) {
    this.#named = named
    for (const [name, schema] of Object.entries(named)) {
      const content = JSON.stringify(schema)
      const other = this.#nameByContent.get(content)
      if (other !== undefined) throw new Error(`schemas ${other} and ${name} are the same`)
      this.#nameByContent.set(content, name)
    }
  }

  /** The full schemas that were referred to, and those that they refer to, sorted by name. */
  definitions(): Record<string, JsonSchema> {
    const definitions: [string, JsonSchema][] = []
    // Also visits names that are added meanwhile.
    for (const name of this.#referenced) definitions.push([name, this.#expand(plain(this.#named[name] as TSchema))])
    return Object.fromEntries(definitions.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** A `$ref` if the schema has a name; otherwise the schema, with references inside. */
  resolve(schema: TSchema): JsonSchema {
    return this.#resolve(plain(schema)) as JsonSchema
  }

  #resolve(schema: unknown): unknown {
    if (!isObject(schema)) return schema
    const name = this.#nameByContent.get(JSON.stringify(schema))
    if (name === undefined) return this.#expand(schema)
    this.#referenced.add(name)
    return reference(name)
  }

  #expand(schema: JsonSchema): JsonSchema {
    const entries = Object.entries(schema).map(([keyword, value]) => [keyword, this.#expandKeyword(keyword, value)])
    return withEnumType(Object.fromEntries(entries) as JsonSchema)
  }

  #expandKeyword(keyword: string, value: unknown): unknown {
    if (SCHEMA_KEYWORDS.has(keyword)) return this.#resolve(value)
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) return value.map((item) => this.#resolve(item))
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#resolve(item)]))
    }
    return value
  }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** TypeBox writes an enum without a type; readers of the document and generators need one. */
function withEnumType(schema: JsonSchema): JsonSchema {
  const values = schema['enum']
  if (!Array.isArray(values) || 'type' in schema || !values.every((value) => typeof value === 'string')) return schema
  return { type: 'string', ...schema }
}

/** Drops TypeBox's own marks, which are properties that are not enumerable. */
function plain(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
