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

/** A query of the API from the arguments of a tool; `metadata` becomes pairs of `meta_key` and `meta_value`. */
export function toQuery({ metadata = {}, ...input }: Input): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) query.append(name, String(value))
  }
  for (const [key, value] of Object.entries(metadata)) {
    query.append('meta_key', key)
    query.append('meta_value', JSON.stringify(value))
  }
  return query
}
