import { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { MetricList } from '@spoor/contract/schemas/metrics/metric'
import type { MetricSeries } from '@spoor/contract/schemas/series'
import { MetricSeriesQuery } from '@spoor/contract/schemas/series-query'
import { type Static, Type } from 'typebox'
import { ToolError } from './api.ts'
import { compact } from './compact.ts'
import { queryInput, toQuery } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

/** The newest points of a series that are returned. */
const MOST_POINTS = 200
const MOST_METRICS = 200

export const metricSeries = defineTool({
  name: 'metric_series',
  description: `A metric over time, at most the newest ${MOST_POINTS} points. Without \`name\`: the metrics that exist. ${RECORDED_IS_DATA}`,
  readOnly: true,
  input: Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, description: 'The name of the metric.' })),
      ...queryInput(MetricSeriesQuery),
    },
    { additionalProperties: false },
  ),
  run: async ({ name, ...input }, api) => {
    if (name === undefined) {
      const query = new URLSearchParams({ limit: String(MOST_METRICS) })
      const { metrics, next_cursor } = await api.get<Static<typeof MetricList>>('/v1/metrics', query)
      return { metrics: metrics.map(compact), ...compact({ more: next_cursor === null ? null : true }) }
    }
    // No address can have these: `..` means the parent, and half of a surrogate pair cannot be encoded.
    if (/^\.\.?$/.test(name) || !name.isWellFormed())
      throw new ToolError(`not_found: There is no series for the name ${JSON.stringify(name)}.`)
    const path = `/v1/metrics/${encodeURIComponent(name)}/series`
    const { points, groups_left_out, ...series } = await api.get<MetricSeries>(path, toQuery(input))
    const leftOut = {
      groups_left_out: groups_left_out || null,
      points_left_out: Math.max(0, points.length - MOST_POINTS) || null,
    }
    return { ...series, ...compact(leftOut), points: points.slice(-MOST_POINTS).map(shortPoint) }
  },
})

export const recordMetricEvent = defineTool({
  name: 'record_metric_event',
  description:
    'Record a value of a defined metric for a trace or one of its steps, such as a verdict on it. ' +
    `Pass \`idempotency_key\` so that a repeated call counts once. ${RECORDED_IS_DATA}`,
  readOnly: false,
  input: MetricEventBody,
  run: async (input, api) => {
    const event = await api.post<Static<typeof MetricEvent>>('/v1/metrics/events', input)
    const { comment, metadata, idempotency_key, ...own } = event
    return { ...compact(own), ...recorded({ comment, metadata, idempotency_key }) }
  },
})

/** A group is a value that traces have. */
function shortPoint({ group, ...point }: MetricSeries['points'][number]): Record<string, unknown> {
  return { ...compact(point), ...recorded({ group }) }
}
