import { Type, type Static } from 'typebox'
import { SERIES_BUCKETS_CHOSEN, SERIES_GROUPS_MAX } from '../limits.ts'
import { filtersTakenBy } from '../trace-filters.ts'
import { filterSchemas } from './traces/filter-schemas.ts'
import { METRIC_SOURCES } from './metrics/metric-event.ts'
import { requestTime } from './primitives.ts'
import { FeedQuery } from './traces/feed-query.ts'
import { fieldOrMetadataKey } from './traces/metadata-field.ts'

export const TRACE_SERIES_MEASURES = [
  'count',
  'error_rate',
  'recovered_errors',
  'duration_ms',
  'total_tokens',
  'cost_usd',
] as const
export const STEP_SERIES_MEASURES = [
  'count',
  'error_rate',
  'duration_ms',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cost_usd',
] as const
export const STEP_GROUPS = ['step_name', 'step_type', 'tool', 'model', 'status', 'error_type'] as const
export const METRIC_GROUPS = ['run_type', 'model', 'source'] as const
export const TRACE_GROUPS = ['run_type', 'model', 'status', 'name'] as const

const { meta_key, meta_value, q } = FeedQuery.properties

/** The most traces of a cluster in the requested time; a request with more is refused. */
export const SERIES_CLUSTER_TRACES = 100_000

const REST = `The ${SERIES_GROUPS_MAX} largest groups are returned separately, all others as one (\`other\`).`

function groupBy<Field extends string>(fields: readonly Field[], description: string) {
  return Type.Optional(
    fieldOrMetadataKey(fields, {
      description: `One of ${fields.join(', ')}, or \`metadata.\` and a key. ${description} ${REST}`,
      examples: [fields[0], 'metadata.task'],
    }),
  )
}

const SPAN = {
  start_time: Type.Optional(
    requestTime('From this time on: RFC 3339, or a date for its midnight UTC. Default: 24 hours before the end.'),
  ),
  end_time: Type.Optional(requestTime('Before this time. Default: now.')),
  bucket: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10,
      description:
        'The length of each bucket: a whole number and `s`, `m`, `h`, `d` or `w`. Buckets are aligned to UTC (days and weeks: to the zone `tz`), buckets of weeks to Mondays. `all` is one bucket for the whole time. ' +
        `Default: \`1h\`. If the time range is longer than a day, the default is the shortest of 1, 2, 3, 6, 12 hours, 1, 2 days, 1, 2, 4 and more weeks with at most ${SERIES_BUCKETS_CHOSEN} buckets.`,
      examples: ['1m', '1h', '1d', 'all'],
    }),
  ),
  tz: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'An IANA time zone: buckets of days and weeks begin at its midnights. Default: UTC.',
      examples: ['America/Los_Angeles'],
    }),
  ),
}

export const MetricSeriesQuery = Type.Object(
  {
    ...SPAN,
    group_by: groupBy(
      METRIC_GROUPS,
      'An event whose trace used several models counts in each of them; an event without a value counts in the group null. The metadata of the event takes precedence over that of its trace. The largest groups are those with the most events.',
    ),
    ...filterSchemas(filtersTakenBy('events')),
    source: Type.Optional(Type.Enum(METRIC_SOURCES, { description: 'Events from this source.' })),
    meta_key,
    meta_value,
  },
  { additionalProperties: false },
)
export type MetricSeriesQuery = Static<typeof MetricSeriesQuery>

export const TraceSeriesQuery = Type.Object(
  {
    measure: Type.Enum(TRACE_SERIES_MEASURES, { description: 'The measure of the traces.' }),
    ...SPAN,
    group_by: groupBy(
      TRACE_GROUPS,
      'A trace that used several models counts in each of them (with the cost of that model); a trace without a value counts in the group null. The largest groups are those with the highest total of the measure: traces, failed traces, milliseconds, tokens or US dollars.',
    ),
    ...filterSchemas(filtersTakenBy('series')),
    q,
    meta_key,
    meta_value,
  },
  { additionalProperties: false },
)
export type TraceSeriesQuery = Static<typeof TraceSeriesQuery>

export const StepSeriesQuery = Type.Object(
  {
    measure: Type.Enum(STEP_SERIES_MEASURES, { description: 'The measure of the steps.' }),
    ...SPAN,
    group_by: Type.Optional(
      Type.Enum(STEP_GROUPS, {
        description: `By a field of the step; \`tool\` is that of the calls of tools themselves (steps of type \`tool\`). The largest groups are those with the highest total of the measure. ${REST}`,
      }),
    ),
    ...filterSchemas(filtersTakenBy('series')),
    q,
    meta_key,
    meta_value,
  },
  { additionalProperties: false },
)
