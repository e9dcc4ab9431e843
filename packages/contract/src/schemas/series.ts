import { Type, type Static } from 'typebox'
import { count, nullableString, printedTime } from './primitives.ts'
import { TRACE_SERIES_MEASURES } from './series-query.ts'

const PERCENTILE =
  'Interpolated between neighbours. Exact for up to 8192 values in the bucket and group; of more, that of a uniform sample of 8192.'

function number(description: string) {
  return Type.Optional(Type.Number({ description }))
}

const POINT = {
  at: printedTime('When the bucket begins. The first and the last may be cut by the bounds that were asked for.'),
  group: nullableString({
    description:
      'The value that was grouped by; null for what has none, and without `group_by`. A metadata value as `meta_value` takes it: a string without quotes unless it could be taken for other JSON; one of more than 124 bytes as `sha256:` and a hash.',
  }),
  other: Type.Optional(
    Type.Literal(true, {
      description:
        'Set on the point of all groups that are not among the 100 largest, together. Its `group` is null, so that it cannot be mistaken for a group with this name.',
    }),
  ),
}

const DISTRIBUTION = {
  avg: number('Mean.'),
  min: number('The least.'),
  max: number('The greatest.'),
  p50: number(`Median. ${PERCENTILE}`),
  p95: number(`95th percentile. ${PERCENTILE}`),
}

const SPAN = {
  start_time: printedTime('From this time on.'),
  end_time: printedTime('Before this time.'),
  bucket: Type.String({ description: 'How long each bucket is; `all`: one for the whole time.', examples: ['1h'] }),
  groups_left_out: count('Groups that are not among the 100 largest. Their rows are in the points with `other`.'),
}

export const MetricSeriesPoint = Type.Object(
  {
    ...POINT,
    count: count('Events.'),
    pass_rate: number('Of a boolean metric: the share of events that passed, exactly.'),
    ...DISTRIBUTION,
    counts: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: 'Of an enum metric: how many events have each option. Options that none has are left out.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'One bucket of one group. Of a boolean metric with `pass_rate`, of a numeric one with `avg, min, max, p50, p95`, of an enum with `counts`.',
  },
)

export const MetricSeries = Type.Object(
  {
    name: Type.String({ description: 'The metric.' }),
    ...SPAN,
    points: Type.Array(MetricSeriesPoint, {
      description: 'By time, then by group, null first and `other` last. Buckets without events are left out.',
    }),
  },
  { additionalProperties: false, description: 'A metric over time.' },
)
export type MetricSeries = Static<typeof MetricSeries>

export const TraceSeriesPoint = Type.Object(
  {
    ...POINT,
    count: count('Traces; of `duration_ms` those whose duration is known.'),
    error_rate: number('The share of traces with status `error`, exactly.'),
    sum: number('All together: tokens, or US dollars.'),
    ...DISTRIBUTION,
    p99: number(`99th percentile. ${PERCENTILE}`),
  },
  {
    additionalProperties: false,
    description:
      'One bucket of one group. With `error_rate` of that measure, `avg, min, max, p50, p95, p99` of `duration_ms`, the same and `sum` of `total_tokens`, `sum` of `cost_usd`.',
  },
)

export const TraceSeries = Type.Object(
  {
    measure: Type.Enum(TRACE_SERIES_MEASURES, { description: 'What was measured.' }),
    ...SPAN,
    unpriced_models: Type.Array(Type.String(), {
      description: 'Of `cost_usd`: models that were used and have no price. What they used costs nothing here.',
    }),
    points: Type.Array(TraceSeriesPoint, {
      description: 'By time, then by group, null first and `other` last. Buckets without traces are left out.',
    }),
  },
  { additionalProperties: false, description: 'A measure of traces over time.' },
)
export type TraceSeries = Static<typeof TraceSeries>
