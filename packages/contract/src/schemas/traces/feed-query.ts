import { Type, type Static } from 'typebox'
import { LIMITS, LISTED_METRICS_MAX, METRIC_NAME_LENGTH, NAME_LENGTH } from '../../limits.ts'
import { ListQuery } from '../list-query.ts'
import { filtersTakenBy } from '../../trace-filters.ts'
import { NOT_BLANK, optional, parameters, requestTime } from '../primitives.ts'
import { filterSchemas } from './filter-schemas.ts'

export const FEED_SORTS = ['created_at', 'duration_ms', 'total_tokens', 'step_count', 'cost_usd'] as const
export const FEED_ORDERS = ['desc', 'asc'] as const

/** Pairs of `meta_key` and `meta_value` in one request: each needs one look-up. */
export const METADATA_FILTERS_MAX = 32

/** The maximum of the limit `metadataKeyLength`: a schema does not know its setting. */
export const META_KEY_LENGTH = LIMITS.metadataKeyLength.maximum

/** The filters of the list of traces; a trace must match every given filter. */
export const FeedQuery = parameters({
  ...filterSchemas(filtersTakenBy('lists')),
  ...optional({
    meta_key: Type.Array(Type.String({ minLength: 1, maxLength: META_KEY_LENGTH }), {
      maxItems: METADATA_FILTERS_MAX,
      description: 'Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match.',
    }),
    meta_value: Type.Array(Type.String(), {
      maxItems: METADATA_FILTERS_MAX,
      description:
        'The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of each of its elements too. With as many values as keys, the first value belongs to the first key and so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.',
    }),
    start_time: requestTime('Traces created at this time or later: RFC 3339, or a date alone for its midnight UTC.'),
    end_time: requestTime('Traces created before this time: RFC 3339, or a date alone for its midnight UTC.'),
    q: Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH,
      pattern: NOT_BLANK,
      description:
        'Full-text search in names of traces and steps, texts of messages, arguments and results of tools, and errors: words separated by spaces, all of which must occur in one step or in the name of the trace. `refun*` is any word that begins so.',
    }),
    sort: Type.Enum(FEED_SORTS, { default: 'created_at', description: 'The sort key.' }),
    order: Type.Enum(FEED_ORDERS, {
      default: 'desc',
      description: '`desc`: largest or newest first. `asc`: smallest or oldest first.',
    }),
  }),
  ...ListQuery.properties,
})
export type FeedQuery = Static<typeof FeedQuery>

const { sort: _sort, order: _order, limit: _limit, cursor: _cursor, ...filters } = FeedQuery.properties
/** The filters of the list of traces, without its order and pages. */
export const filterFields = filters

/** The filters, and what rows have besides. */
export const ListTracesQuery = parameters({
  ...FeedQuery.properties,
  metric_values: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: METRIC_NAME_LENGTH }), {
      maxItems: LISTED_METRICS_MAX,
      description:
        'Names of metrics whose latest value each row has as `metric_values`. Can be repeated. Filters nothing.',
    }),
  ),
})
