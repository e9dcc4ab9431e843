import { Type } from 'typebox'
import { SERIES_POINTS_MAX } from '../limits.ts'
import { MetricSeries, StepSeries, TraceSeries } from '../schemas/series.ts'
import { MetricSeriesQuery, SERIES_CLUSTER_TRACES, StepSeriesQuery, TraceSeriesQuery } from '../schemas/series-query.ts'
import type { Operation } from './operation.ts'
import { parameters } from '../schemas/primitives.ts'

const BOUNDS = `At most ${SERIES_POINTS_MAX.toLocaleString('en')} buckets and points; more are refused (\`validation_failed\`). Everything committed before the request counts.`

export const MetricNamePath = parameters({
  name: Type.String({ minLength: 1, description: 'The name of the metric, percent-encoded.' }),
})

export const SERIES_OPERATIONS = {
  getMetricSeries: {
    method: 'GET',
    path: '/v1/metrics/:name/series',
    summary: 'A metric over time',
    description: `The events of a metric, grouped by time (\`at\`) and by \`group_by\`: pass rates, numbers or counts of options. ${BOUNDS}`,
    scopes: ['read'],
    pathParameters: MetricNamePath,
    query: MetricSeriesQuery,
    responses: { 200: { description: 'The series.', content: { 'application/json': MetricSeries } } },
  },
  getStepSeries: {
    method: 'GET',
    path: '/v1/steps/series',
    summary: 'Steps over time',
    description:
      'The number of steps, their error rate, duration, tokens or cost, grouped by time and by `group_by`. ' +
      `A step counts as it is now, in the bucket of the creation of its trace. ${BOUNDS} A \`cluster\` with more than ${SERIES_CLUSTER_TRACES.toLocaleString('en')} traces in that time is refused too.`,
    scopes: ['read'],
    query: StepSeriesQuery,
    responses: { 200: { description: 'The series.', content: { 'application/json': StepSeries } } },
    errors: ['full_text_disabled'],
  },
  getTraceSeries: {
    method: 'GET',
    path: '/v1/traces/series',
    summary: 'Traces over time',
    description:
      'The number of traces, their error rate, duration, tokens or cost, grouped by time (`created_at`) and by `group_by`. ' +
      `A trace counts as it is now, in the bucket of its creation, with all its steps, including those appended later. ${BOUNDS} A \`cluster\` with more than ${SERIES_CLUSTER_TRACES.toLocaleString('en')} traces in that time is refused too.`,
    scopes: ['read'],
    query: TraceSeriesQuery,
    responses: { 200: { description: 'The series.', content: { 'application/json': TraceSeries } } },
    errors: ['full_text_disabled'],
  },
} as const satisfies Record<string, Operation>
