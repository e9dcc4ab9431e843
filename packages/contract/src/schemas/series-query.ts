import { Type, type Static, type TUnsafe } from 'typebox'
import { SERIES_BUCKETS_CHOSEN, SERIES_GROUPS_MAX } from '../limits.ts'
import { filtersTakenBy } from '../trace-filters.ts'
import { filterSchemas } from './traces/filter-schemas.ts'
import { METRIC_SOURCES } from './metrics/metric-event.ts'
import { optional, parameters, requestTime } from './primitives.ts'
import { FeedQuery } from './traces/feed-query.ts'
import {
  measuresOf,
  METRIC_GROUPS,
  SERIES_FIELD_NAMES,
  SERIES_MEASURES,
  SERIES_ORDERS,
  SERIES_STATS,
  type SeriesFieldText,
  type SeriesMeasureText,
  type SeriesRows,
} from '../series-fields.ts'
import { fieldOrMetadataKey, fieldsOrNamed, NAMED_FIELDS } from './traces/metadata-field.ts'

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

const SPAN = optional({
  start_time: requestTime(
    'From this time on: RFC 3339, or a date for its midnight UTC. Default: 24 hours before the end.',
  ),
  end_time: requestTime('Before this time. Default: now.'),
  bucket: Type.String({
    minLength: 1,
    maxLength: 10,
    description:
      'The length of each bucket: a whole number and `s`, `m`, `h`, `d` or `w`. Buckets are aligned to UTC (days and weeks: to the zone `tz`), buckets of weeks to Mondays. `all` is one bucket for the whole time. ' +
      `Default: \`1h\`. If the time range is longer than a day, the default is the shortest of 1, 2, 3, 6, 12 hours, 1, 2 days, 1, 2, 4 and more weeks with at most ${SERIES_BUCKETS_CHOSEN} buckets.`,
    examples: ['1m', '1h', '1d', 'all'],
  }),
  tz: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'An IANA time zone: buckets of days and weeks begin at its midnights. Default: UTC.',
    examples: ['America/Los_Angeles'],
  }),
})

export const MetricSeriesQuery = parameters({
  ...SPAN,
  group_by: groupBy(
    METRIC_GROUPS,
    'An event whose trace used several models counts in each of them; an event without a value counts in the group null. The metadata of the event takes precedence over that of its trace. The largest groups are those with the most events.',
  ),
  ...filterSchemas(filtersTakenBy('events')),
  source: Type.Optional(Type.Enum(METRIC_SOURCES, { description: 'Events from this source.' })),
  meta_key,
  meta_value,
})
export type MetricSeriesQuery = Static<typeof MetricSeriesQuery>

/** Series over rows of one kind. */
function explored(rows: SeriesRows, groups: string) {
  const fields = SERIES_FIELD_NAMES.map((name) => `\`${name}\``).join(', ')
  const stats = measuresOf(rows).map((name) => `\`${name}\`: ${SERIES_MEASURES[name].stats[0]}`)
  return parameters({
    measure: fieldsOrNamed<SeriesMeasureText>(
      measuresOf(rows),
      { metric: NAMED_FIELDS.metric },
      {
        description: `One of ${measuresOf(rows).join(', ')}, or \`metric.\` and the name of a boolean or numeric metric: the newest value of each ${rows === 'traces' ? 'trace or of its steps' : 'step'}.`,
        examples: ['duration_ms', 'metric.helpful'],
      },
    ) as TUnsafe<SeriesMeasureText>,
    ...optional({
      stat: Type.Enum(SERIES_STATS, {
        description: `How the numbers of the rows become \`value\`. \`rate\` is the share of rows that failed or passed. Percentiles, means, minima and maxima are those of the rows whose number is known. Default: ${stats.join(', ')}; of a metric \`rate\` or \`mean\`.`,
      }),
      group_by: fieldsOrNamed<SeriesFieldText>(
        SERIES_FIELD_NAMES,
        NAMED_FIELDS,
        {
          description: `One or two (repeated) of ${fields}, or \`metadata.\` and a key, or \`metric.\` and the name of an enum or boolean metric. ${groups} ${REST}`,
          examples: ['model', 'metadata.task', 'metric.verdict'],
        },
        2,
      ),
      order: Type.Enum(SERIES_ORDERS, {
        description:
          'The groups that are shown, and their order: those with the greatest value, with the most rows, or whose value changed most, in either direction, since the time before (requires `compare`). Default: `value`.',
      }),
      limit: Type.Integer({
        minimum: 1,
        maximum: SERIES_GROUPS_MAX,
        description: `The number of groups that are shown; all others are one (\`other\`). Default: ${SERIES_GROUPS_MAX}.`,
      }),
      compare: Type.Enum(['previous'], {
        description:
          '`previous`: each point and group also has the value of the time before, which is as long and begins a whole number of buckets earlier.',
      }),
    }),
    ...SPAN,
    ...filterSchemas(filtersTakenBy('series')),
    q,
    meta_key,
    meta_value,
  })
}

export const TraceSeriesQuery = explored(
  'traces',
  'A trace that used several models, or has several tags or types of errors, counts in each of them (with the cost of that model); one without a value counts in the group null. Of `tool`, `step_name` and `step_type` a trace has the values of its steps that pass the filters of steps.',
)
export type TraceSeriesQuery = Static<typeof TraceSeriesQuery>

export const StepSeriesQuery = explored(
  'steps',
  'By a field of the step, or else of its trace. `tool` is that of the calls of tools themselves (steps of type `tool`); `metric.` is about events of the step itself.',
)
export type StepSeriesQuery = Static<typeof StepSeriesQuery>
