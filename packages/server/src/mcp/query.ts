import { isFields } from '@spoor/payloads/json'
import { META_KEY_LENGTH } from '@spoor/contract/schemas/traces/feed-query'
import { type TProperties, Type } from 'typebox'

/** In place of the pairs of `meta_key` and `meta_value` of a query. */
const METADATA_FILTER = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: `Traces whose metadata has these values. Keys have at most ${META_KEY_LENGTH} characters.`,
      examples: [{ env: 'prod', attempt: 1 }],
    },
  ),
)

/** The parameters of a query as properties of a tool's input. */
export function queryInput<const P extends TProperties>({ properties }: { readonly properties: P }) {
  const { meta_key: _keys, meta_value: _values, ...parameters } = properties
  return { ...parameters, metadata: METADATA_FILTER }
}

export const DEFAULT_LIMIT = 10

/** The input of a tool that returns one page of `rows`. */
export function searchInput<const P extends TProperties>(query: { readonly properties: P }, rows: string) {
  const description = `The most ${rows}. Default: ${DEFAULT_LIMIT}.`
  const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description }))
  return Type.Object({ ...queryInput(query), limit }, { additionalProperties: false })
}

export const DEFAULT_CHARS = 20_000

/** How long an answer, or the named part of it, may become. */
export function maxChars(part: string) {
  const description = `The most characters of ${part}. Default: ${DEFAULT_CHARS}.`
  return Type.Optional(Type.Integer({ minimum: 4000, maximum: 200_000, description }))
}

type Input = Readonly<Record<string, unknown>> & { readonly metadata?: object }

export function toSearch(input: Input): URLSearchParams {
  return toQuery({ limit: DEFAULT_LIMIT, ...input })
}

/**
 * A query of the API from the arguments of a tool: lists repeat their parameter, members of objects are `NAME.KEY`, and
 * `metadata` becomes pairs of `meta_key` and `meta_value`.
 */
export function toQuery({ metadata = {}, ...input }: Input): URLSearchParams {
  const query = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) add(name, one)
    else if (isFields(value)) for (const [key, one] of Object.entries(value)) add(`${name}.${key}`, one)
    else if (value !== undefined) query.append(name, String(value as string | number | boolean))
  }
  for (const [name, value] of Object.entries(input)) add(name, value)
  for (const [key, value] of Object.entries(metadata)) {
    query.append('meta_key', key)
    query.append('meta_value', JSON.stringify(value))
  }
  return query
}
