import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'
import { filtersTakenBy } from '../../trace-filters.ts'
import { META_KEY_LENGTH } from './feed-query.ts'
import { METADATA_GROUP } from '../series-query.ts'

export const FACET_FIELDS = [...filtersTakenBy('facets'), 'metadata'] as const
export const FACET_LIMIT = { default: 20, most: 100 } as const
/** How many of the newest traces are looked at. */
export const FACET_TRACES = 20_000

export const TraceFacetsQuery = Type.Object(
  {
    field: Type.String({
      minLength: 1,
      maxLength: METADATA_GROUP.length + META_KEY_LENGTH,
      description: `One of ${FACET_FIELDS.join(', ')}, or \`metadata.\` and a key. \`metadata\` alone asks for keys.`,
      examples: ['model', 'metadata', 'metadata.task'],
    }),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: NAME_LENGTH,
        description: 'Only values that have this somewhere in their text, in whatever case.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: FACET_LIMIT.default,
        description: `Values. More than ${FACET_LIMIT.most} is lowered to ${FACET_LIMIT.most}.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type TraceFacetsQuery = Static<typeof TraceFacetsQuery>

export const TraceFacet = Type.Object(
  {
    value: Type.String({ description: 'As the filter takes it: under a metadata key as `meta_value` does.' }),
    count: Type.Integer({ minimum: 1, description: 'How many of the traces looked at have it.' }),
  },
  { additionalProperties: false, description: 'A value that traces have.' },
)

export const TraceFacets = Type.Object(
  {
    field: Type.String({ description: 'What was asked for.' }),
    values: Type.Array(TraceFacet, { description: 'Those that most traces have first.' }),
    complete: Type.Boolean({
      description: 'Whether these are all the values there are: every trace was looked at, and `limit` left none out.',
    }),
  },
  { additionalProperties: false, description: 'Values to filter the feed by.' },
)
export type TraceFacets = Static<typeof TraceFacets>
