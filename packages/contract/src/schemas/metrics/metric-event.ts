import { Type, type Static } from 'typebox'
import { Metadata } from '../metadata.ts'
import * as schema from '../primitives.ts'

export const METRIC_SOURCES = ['human', 'code', 'llm'] as const
export type MetricSource = (typeof METRIC_SOURCES)[number]

/** One value of a metric for a trace or one of its steps. Exactly one of `passed` and `value` is not null. */
export const MetricEvent = schema.closed('A metric event of a trace.', {
  id: schema.idString('mev', 'The event.'),
  name: schema.textOf('The metric.'),
  trace_id: schema.idString('tr', 'The trace that the event is about.'),
  step_id: schema.nullableIdString('st', 'The step that the event is about; null if it is about the whole trace.'),
  passed: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'For boolean metrics.' }),
  value: Type.Unsafe<number | string | null>({
    type: ['number', 'string', 'null'],
    description: 'A number for numeric metrics, the value of an option for enum metrics.',
  }),
  source: schema.nullableEnum(METRIC_SOURCES, 'Who or what produced the value.'),
  comment: schema.nullableText('Why, in words.'),
  metadata: Metadata,
  idempotency_key: schema.nullableText('The key it was recorded with.'),
  created_by: schema.nullableIdString(
    'key',
    'The key that recorded it, also through a session; null if it came with a span or from the API of another sender.',
  ),
  at: schema.printedTime('When the value was determined: lists and series are ordered by this.'),
  created_at: schema.printedTime('When it was recorded.'),
})
export type MetricEvent = Static<typeof MetricEvent>

export const MetricEventList = schema.pageOf('events', MetricEvent, 'newest `at` first')
export type MetricEventList = Static<typeof MetricEventList>
