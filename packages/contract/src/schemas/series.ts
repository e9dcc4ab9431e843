import { Type, type Static } from 'typebox'
import { count, nullableString, printedTime } from './primitives.ts'
import { TRACE_SERIES_MEASURES } from './series-query.ts'

const PERCENTILE =
  'Interpolated between neighbours. Exact for up to 8192 values in the bucket and group; for more values, computed from a uniform sample of 8192.'

function number(description: string) {
  return Type.Optional(Type.Number({ description }))
}

const POINT = {
  at: printedTime('The start of the bucket. The requested time range may cut the first and the last bucket.'),
  group: nullableString({
    description:
      'The value of the group; null without a value, and without `group_by`. A metadata value has the form of `meta_value`: a string has no quotes unless it would read as other JSON; a value of more than 124 bytes is `sha256:` and a hash.',
  }),
  other: Type.Optional(
    Type.Literal(true, {
      description: 'Set on the point that combines all groups other than the 100 largest. Its `group` is null.',
    }),
  ),
}

const DISTRIBUTION = {
  avg: number('Mean.'),
  min: number('Minimum.'),
  max: number('Maximum.'),
  p50: number(`Median. ${PERCENTILE}`),
  p95: number(`95th percentile. ${PERCENTILE}`),
}

const SPAN = {
  start_time: printedTime('From this time on.'),
  end_time: printedTime('Before this time.'),
  bucket: Type.String({
    description: 'The length of each bucket; `all`: one bucket for the whole time.',
    examples: ['1h'],
  }),
  groups_left_out: count('The number of groups other than the 100 largest. Their rows are in the points with `other`.'),
}

export const MetricSeriesPoint = Type.Object(
  {
    ...POINT,
    count: count('The number of events.'),
    pass_rate: number('For a boolean metric: the exact share of events that passed.'),
    ...DISTRIBUTION,
    counts: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: 'For an enum metric: the number of events of each option. Options without events are omitted.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'One bucket of one group. It has `pass_rate` for a boolean metric, `avg, min, max, p50, p95` for a numeric metric, `counts` for an enum metric.',
  },
)

export const MetricSeries = Type.Object(
  {
    name: Type.String({ description: 'The metric.' }),
    ...SPAN,
    points: Type.Array(MetricSeriesPoint, {
      description: 'By time, then by group, null first and `other` last. Buckets without events are omitted.',
    }),
  },
  { additionalProperties: false, description: 'A metric over time.' },
)
export type MetricSeries = Static<typeof MetricSeries>

export const TraceSeriesPoint = Type.Object(
  {
    ...POINT,
    count: count('The number of traces; for `duration_ms` only those with a known duration.'),
    error_rate: number('The exact share of traces with status `error`.'),
    sum: number('The total: tokens, US dollars, or failed steps of traces that are `ok`.'),
    ...DISTRIBUTION,
    p99: number(`99th percentile. ${PERCENTILE}`),
  },
  {
    additionalProperties: false,
    description:
      'One bucket of one group. It has `error_rate` for that measure, `avg, min, max, p50, p95, p99` for `duration_ms`, the same and `sum` for `total_tokens`, and `sum` for `cost_usd` and `recovered_errors`.',
  },
)

export const TraceSeries = Type.Object(
  {
    measure: Type.Enum(TRACE_SERIES_MEASURES, { description: 'The measure.' }),
    ...SPAN,
    unpriced_models: Type.Array(Type.String(), {
      description: 'For `cost_usd`: models that were used but have no price. Their tokens are not in the cost.',
    }),
    points: Type.Array(TraceSeriesPoint, {
      description: 'By time, then by group, null first and `other` last. Buckets without traces are omitted.',
    }),
  },
  { additionalProperties: false, description: 'A measure of traces over time.' },
)
export type TraceSeries = Static<typeof TraceSeries>
