import { META_KEY_LENGTH } from '@spoor/contract/schemas/traces/feed-query'
import { FACET_LIMIT, type TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { Type } from 'typebox'
import type { Api } from './api.ts'

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
export async function toQuery({ metadata = {}, ...input }: Input, api: Api): Promise<URLSearchParams> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) query.append(name, String(value))
  }
  for (const [key, value] of Object.entries(metadata)) {
    query.append('meta_key', key)
    query.append('meta_value', typeof value === 'number' ? await asStored(key, value, api) : JSON.stringify(value))
  }
  return query
}

/**
 * A number as the traces have it. The API compares metadata as JSON text. A float of Python is `0.0` there, and an
 * agent reads and sends it as 0.
 */
async function asStored(key: string, value: number, api: Api): Promise<string> {
  const text = JSON.stringify(value)
  const query = new URLSearchParams({ field: `metadata.${key}`, limit: String(FACET_LIMIT.most) })
  const { values } = await api.get<TraceFacets>('/v1/traces/facets', query)
  const forms = values.map((facet) => facet.value)
  return forms.includes(text) ? text : (forms.find((form) => /^-?\d/.test(form) && Number(form) === value) ?? text)
}
