import { Type, type Static } from 'typebox'
import { FeedQuery } from '../traces/feed-query.ts'
import { ListQuery } from '../list-query.ts'
import { parameters, requestTime } from '../primitives.ts'
import { METRIC_SOURCES } from './metric-event.ts'

const { meta_key, meta_value } = FeedQuery.properties

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const time = (description: string) => Type.Optional(requestTime(description))

/** The filters of the list of metric events; an event must match all that are given. */
export const MetricEventQuery = parameters({
  name: text('Events of this metric.'),
  trace_id: text(
    'Events of this trace and its steps, by its id or by the 32 hex digits that OpenTelemetry knows it by.',
  ),
  step_id: text('Events of this step.'),
  source: Type.Optional(Type.Enum(METRIC_SOURCES, { description: 'Events from this source.' })),
  run_type: text('Events of traces with exactly this run type when the event was recorded.'),
  model: text('Events of traces that had used exactly this model when the event was recorded.'),
  meta_key,
  meta_value,
  start_time: time('Events whose `at` is this time or later: RFC 3339, or a date for its midnight UTC.'),
  end_time: time('Events whose `at` is before this time: RFC 3339, or a date for its midnight UTC.'),
  ...ListQuery.properties,
})
export type MetricEventQuery = Static<typeof MetricEventQuery>
