import { Type, type Static } from 'typebox'
import { filtersTakenBy } from '../../trace-filters.ts'
import { FeedQuery } from '../traces/feed-query.ts'
import { filterSchemas } from '../traces/filter-schemas.ts'
import { ListQuery } from '../list-query.ts'
import { parameters, requestTime } from '../primitives.ts'
import { METRIC_SOURCES } from './metric-event.ts'

const { meta_key, meta_value, q } = FeedQuery.properties

/** Of the trace as it was when the event was recorded. */
const OWN = filtersTakenBy('events')
/** Of the trace as it is. `name` is that of the metric here. */
const OF_TRACE = filtersTakenBy('lists').filter(
  (name): name is Exclude<typeof name, (typeof OWN)[number] | 'name' | 'not_name'> =>
    !([...OWN, 'name', 'not_name'] as readonly string[]).includes(name),
)
const NOTE = ' It holds for the trace of the event.'
const { name: trace_name, not_name } = filterSchemas(['name', 'not_name'], NOTE)

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
  ...filterSchemas(OWN, ' It holds for the trace as it was when the event was recorded.'),
  ...filterSchemas(OF_TRACE, NOTE),
  trace_name,
  not_trace_name: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      ...not_name,
      description: 'All events but those that `trace_name` finds.',
    }),
  ),
  q,
  meta_key,
  meta_value,
  start_time: time('Events whose `at` is this time or later: RFC 3339, or a date for its midnight UTC.'),
  end_time: time('Events whose `at` is before this time: RFC 3339, or a date for its midnight UTC.'),
  ...ListQuery.properties,
})
export type MetricEventQuery = Static<typeof MetricEventQuery>
