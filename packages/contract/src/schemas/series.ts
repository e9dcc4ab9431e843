import { Type, type Static } from 'typebox'
import { type PercentileOf, percentilesOf, titleOf } from '../aggregations.ts'
import { closed, count, listOf, nullable, nullableText, printedTime, textOf } from './primitives.ts'
import { SERIES_STATS, type SeriesRows } from '../series-fields.ts'

const PERCENTILE =
  'Interpolated between neighbours. Exact for up to 8192 values in the bucket and group; for more values, computed from a uniform sample of 8192.'

function number(description: string) {
  return Type.Optional(Type.Number({ description }))
}

const POINT = {
  at: printedTime('The start of the bucket. The requested time range may cut the first and the last bucket.'),
  group: nullableText(
    'The value of the group; null without a value, and without `group_by`. A metadata value has the form of `meta_value`: a string has no quotes unless it would read as other JSON; a value of more than 124 bytes is `sha256:` and a hash.',
  ),
  other: Type.Optional(
    Type.Literal(true, {
      description: 'Set on the point that combines all groups that are not shown. Its `group` is null.',
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
  groups_left_out: count(
    'The number of groups that are not shown; with `compare` at least so many. Their rows are in the points with `other`.',
  ),
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
  name: textOf('The metric.'),
  ...SPAN,
  points: listOf(
    MetricSeriesPoint,
    'By time, then by group, null first and `other` last. Buckets without events are omitted.',
  ),
})
export type MetricSeries = Static<typeof MetricSeries>

/** A number of one bucket, or of the whole time. */
const EXPLORED_VALUE = {
  count: count('The number of rows; for `duration_ms`, metrics and most statistics only those whose number is known.'),
  value: nullable(Type.Number(), 'The value of the statistic `stat`; null without rows, except for counts and sums.'),
}

const EXPLORED = {
  ...EXPLORED_VALUE,
  subgroup: Type.Optional(nullableText('With two fields in `group_by`: the value of the second.')),
  previous: Type.Optional(
    closed('With `compare`: the same of the time before.', {
      at: Type.Optional(printedTime('The start of the bucket.')),
      ...EXPLORED_VALUE,
    }),
  ),
}

const MEMBERS = {
  error_rate: number('The exact share of rows with status `error`.'),
  sum: number('The total: tokens, US dollars, milliseconds, or failed steps of traces that are `ok`.'),
  ...OF_TRACES,
}

function explored<Rows extends SeriesRows>(rows: Rows) {
  const point = closed(
    `One bucket of one group. It also has \`error_rate\` for that measure, \`${Object.keys(OF_TRACES).join(', ')}\` and \`sum\` for durations and tokens, and \`sum\` for \`cost_usd\`.`,
    { ...POINT, ...EXPLORED, ...MEMBERS },
  )
  const { at: _at, ...place } = POINT
  const group = closed('One group over the whole time.', { ...place, ...EXPLORED })
  return closed(`A measure of ${rows} over time.`, {
    measure: textOf('The measure.'),
    stat: Type.Enum(SERIES_STATS, { description: 'The statistic in `value`.' }),
    ...SPAN,
    unpriced_models: listOf(
      Type.String(),
      'For `cost_usd`: models that were used but have no price. Their tokens are not in the cost.',
    ),
    points: listOf(point, `By time, then by group. Buckets without ${rows} are omitted.`),
    groups: listOf(
      group,
      'Each group over the whole time, in the requested order, `other` last; one row without `group_by`.',
    ),
  })
}

export const TraceSeries = explored('traces')
export type TraceSeries = Static<typeof TraceSeries>
export const StepSeries = explored('steps')
export type StepSeries = Static<typeof StepSeries>
