import { isFields } from '@spoor/payloads/json'
import { META_KEY_LENGTH } from '@spoor/contract/schemas/traces/feed-query'
import { Type } from 'typebox'

/** In place of the pairs of `meta_key` and `meta_value` of a query. */
export const METADATA_FILTER = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: `Traces whose metadata has these values. Keys have at most ${META_KEY_LENGTH} characters.`,
      examples: [{ env: 'prod', attempt: 1 }],
    },
  ),
)

type Input = Readonly<Record<string, unknown>> & { readonly metadata?: object }

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
