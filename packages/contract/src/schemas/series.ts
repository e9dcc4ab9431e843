import { Type, type Static } from 'typebox'
import { type PercentileOf, percentilesOf, titleOf } from '../aggregations.ts'
import { closed, count, nullableString, printedTime } from './primitives.ts'
import { STEP_SERIES_MEASURES, TRACE_SERIES_MEASURES } from './series-query.ts'

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

function distribution<Of extends 'metrics' | 'traces'>(series: Of) {
  const percentiles = percentilesOf(series).map((name) => [name, number(`${titleOf(name)}. ${PERCENTILE}`)])
  return {
    avg: number('Mean.'),
    min: number('Minimum.'),
    max: number('Maximum.'),
    ...(Object.fromEntries(percentiles) as Record<PercentileOf<Of>, ReturnType<typeof number>>),
  }
}

const OF_METRICS = distribution('metrics')
const OF_TRACES = distribution('traces')

const SPAN = {
  start_time: printedTime('From this time on.'),
  end_time: printedTime('Before this time.'),
  bucket: Type.String({
    description: 'The length of each bucket; `all`: one bucket for the whole time.',
    examples: ['1h'],
  }),
  groups_left_out: count('The number of groups other than the 100 largest. Their rows are in the points with `other`.'),
}

export const MetricSeriesPoint = closed(
  `One bucket of one group. It has \`pass_rate\` for a boolean metric, \`${Object.keys(OF_METRICS).join(', ')}\` for a numeric metric, \`counts\` for an enum metric.`,
  {
    ...POINT,
    count: count('The number of events.'),
    pass_rate: number('For a boolean metric: the exact share of events that passed.'),
    ...OF_METRICS,
    counts: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: 'For an enum metric: the number of events of each option. Options without events are omitted.',
      }),
    ),
  },
)

export const MetricSeries = closed('A metric over time.', {
  name: Type.String({ description: 'The metric.' }),
  ...SPAN,
  points: Type.Array(MetricSeriesPoint, {
    description: 'By time, then by group, null first and `other` last. Buckets without events are omitted.',
  }),
})
export type MetricSeries = Static<typeof MetricSeries>

export const TraceSeriesPoint = closed(
  `One bucket of one group. It has \`error_rate\` for that measure, \`${Object.keys(OF_TRACES).join(', ')}\` for \`duration_ms\`, the same and \`sum\` for \`total_tokens\`, and \`sum\` for \`cost_usd\` and \`recovered_errors\`.`,
  {
    ...POINT,
    count: count('The number of traces; for `duration_ms` only those with a known duration.'),
    error_rate: number('The exact share of traces with status `error`.'),
    sum: number('The total: tokens, US dollars, or failed steps of traces that are `ok`.'),
    ...OF_TRACES,
  },
)

export const TraceSeries = closed('A measure of traces over time.', {
  measure: Type.Enum(TRACE_SERIES_MEASURES, { description: 'The measure.' }),
  ...SPAN,
  unpriced_models: Type.Array(Type.String(), {
    description: 'For `cost_usd`: models that were used but have no price. Their tokens are not in the cost.',
  }),
  points: Type.Array(TraceSeriesPoint, {
    description: 'By time, then by group, null first and `other` last. Buckets without traces are omitted.',
  }),
})
export type TraceSeries = Static<typeof TraceSeries>

export const StepSeriesPoint = closed(
  `One bucket of one group. It has \`error_rate\` for that measure, \`${Object.keys(OF_TRACES).join(', ')}\` for \`duration_ms\`, the same and \`sum\` for tokens, and \`sum\` for \`cost_usd\`.`,
  {
    ...POINT,
    count: count('The number of steps; for `duration_ms` only those with a known duration.'),
    error_rate: number('The exact share of steps with status `error`.'),
    sum: number('The total: tokens or US dollars. Steps without a cost add nothing.'),
    ...OF_TRACES,
  },
)

export const StepSeries = closed('A measure of steps over time.', {
  measure: Type.Enum(STEP_SERIES_MEASURES, { description: 'The measure.' }),
  ...SPAN,
  points: Type.Array(StepSeriesPoint, {
    description: 'By time, then by group, null first and `other` last. Buckets without steps are omitted.',
  }),
})
export type StepSeries = Static<typeof StepSeries>
