import { Type, type Static } from 'typebox'
import { closed } from '../primitives.ts'
import { NAME_LENGTH } from '../../limits.ts'
import { filtersTakenBy } from '../../trace-filters.ts'
import { fieldOrMetadataKey } from './metadata-field.ts'

export const FACET_FIELDS = [...filtersTakenBy('facets'), 'metadata'] as const
export const FACET_LIMIT = { default: 20, most: 100 } as const
/** The number of newest traces that are counted. */
export const FACET_TRACES = 20_000

export const TraceFacetsQuery = Type.Object(
  {
    field: fieldOrMetadataKey(FACET_FIELDS, {
      description: `One of ${FACET_FIELDS.join(', ')}, or \`metadata.\` and a key. \`metadata\` alone lists the keys.`,
      examples: ['model', 'metadata', 'metadata.task'],
    }),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: NAME_LENGTH,
        description: 'Only values that contain this text, regardless of case.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: FACET_LIMIT.default,
        description: `The maximum number of values. A value above ${FACET_LIMIT.most} is lowered to ${FACET_LIMIT.most}.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type TraceFacetsQuery = Static<typeof TraceFacetsQuery>

export const TraceFacet = closed('A value and its number of traces.', {
  value: Type.String({
    description: 'The value in the form of the filter; for a metadata key in the form of `meta_value`.',
  }),
  count: Type.Integer({ minimum: 1, description: 'The number of counted traces that have it.' }),
})

export const TraceFacets = closed('Values to filter traces by.', {
  field: Type.String({ description: 'The requested field.' }),
  values: Type.Array(TraceFacet, { description: 'The values, the most frequent first.' }),
  complete: Type.Boolean({
    description: 'Whether these are all values: every trace was counted and `limit` cut none.',
  }),
})
export type TraceFacets = Static<typeof TraceFacets>
