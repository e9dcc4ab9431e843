import { Type, type Static } from 'typebox'
import { closed, flagOf, listOf, optional, parameters, shortText, textOf } from '../primitives.ts'
import { NAME_LENGTH } from '../../limits.ts'
import { filtersTakenBy } from '../../trace-filters.ts'
import { filterFields } from './feed-query.ts'
import { fieldOrMetadataKey } from './metadata-field.ts'

export const FACET_FIELDS = [...filtersTakenBy('facets'), 'metadata'] as const
export const FACET_LIMIT = { default: 20, most: 100 } as const
/** The number of newest traces that are counted. */
export const FACET_TRACES = 20_000

export const TraceFacetsQuery = parameters({
  field: fieldOrMetadataKey(FACET_FIELDS, {
    description: `One of ${FACET_FIELDS.join(', ')}, or \`metadata.\` and a key. \`metadata\` alone lists the keys.`,
    examples: ['model', 'metadata', 'metadata.task'],
  }),
  ...optional({
    q: shortText(NAME_LENGTH, 'Only values that contain this text, regardless of case.'),
    limit: Type.Integer({
      minimum: 1,
      default: FACET_LIMIT.default,
      description: `The maximum number of values. A value above ${FACET_LIMIT.most} is lowered to ${FACET_LIMIT.most}.`,
    }),
  }),
})
export type TraceFacetsQuery = Static<typeof TraceFacetsQuery>

/** The fields of steps that filters name, `argument` (paths of arguments), and the values of one path. */
export const STEP_FACET_FIELDS = [
  'step_name',
  'step_type',
  'tool',
  'step_model',
  'step_status',
  'step_error_type',
  'argument',
] as const

const { limit, q: contained } = TraceFacetsQuery.properties
const { q: words, ...listFilters } = filterFields

export const StepFacetsQuery = parameters({
  field: Type.Unsafe<(typeof STEP_FACET_FIELDS)[number] | `argument.${string}`>({
    type: 'string',
    minLength: 1,
    maxLength: 'argument.'.length + NAME_LENGTH,
    anyOf: [{ enum: STEP_FACET_FIELDS }, { pattern: '^argument[.][\\s\\S]', title: 'argument. and a path of keys' }],
    description: `One of ${STEP_FACET_FIELDS.join(', ')}, or \`argument.\` and a path. \`argument\` alone lists the paths.`,
    examples: ['tool', 'argument', 'argument.city'],
  }),
  q: contained,
  limit,
  ...listFilters,
  text: words,
})

export const StepFacets = closed('Values to filter steps by.', {
  field: textOf('The requested field.'),
  values: listOf(
    closed('A value and its number of steps.', {
      value: textOf('The value in the form of the filter.'),
      count: Type.Integer({ minimum: 1, description: 'The number of counted steps that have it.' }),
    }),
    'The values, the most frequent first.',
  ),
  complete: flagOf('Whether these are all values: the steps of every trace were counted and `limit` cut none.'),
})
export type StepFacets = Static<typeof StepFacets>

export const TraceFacet = closed('A value and its number of traces.', {
  value: textOf('The value in the form of the filter; for a metadata key in the form of `meta_value`.'),
  count: Type.Integer({ minimum: 1, description: 'The number of counted traces that have it.' }),
})

export const TraceFacets = closed('Values to filter traces by.', {
  field: textOf('The requested field.'),
  values: listOf(TraceFacet, 'The values, the most frequent first.'),
  complete: flagOf('Whether these are all values: every trace was counted and `limit` cut none.'),
})
export type TraceFacets = Static<typeof TraceFacets>
