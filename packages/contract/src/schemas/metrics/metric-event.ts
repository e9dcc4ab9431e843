import { Type, type Static } from 'typebox'
import { Metadata } from '../metadata.ts'
import { closed, idString, nullableIdString, nullableString, printedTime } from '../primitives.ts'

export const METRIC_SOURCES = ['human', 'code', 'llm'] as const
export type MetricSource = (typeof METRIC_SOURCES)[number]

/** One value of a metric for a trace or one of its steps. Exactly one of `passed` and `value` is not null. */
export const MetricEvent = closed('A metric event of a trace.', {
  id: idString('mev', 'The event.'),
  name: Type.String({ description: 'The metric.' }),
  trace_id: idString('tr', 'The trace that the event is about.'),
  step_id: nullableIdString('st', 'The step that the event is about; null if it is about the whole trace.'),
  passed: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'For boolean metrics.' }),
  value: Type.Unsafe<number | string | null>({
    type: ['number', 'string', 'null'],
    description: 'A number for numeric metrics, the value of an option for enum metrics.',
  }),
  source: Type.Unsafe<MetricSource | null>({
    type: ['string', 'null'],
    enum: [...METRIC_SOURCES, null],
    description: 'Who or what produced the value.',
  }),
  comment: nullableString({ description: 'Why, in words.' }),
  metadata: Metadata,
  idempotency_key: nullableString({ description: 'The key it was recorded with.' }),
  created_by: nullableIdString(
    'key',
    'The key that recorded it, also through a session; null if it came with a span or from the API of another sender.',
  ),
  at: printedTime('When the value was determined: lists and series are ordered by this.'),
  created_at: printedTime('When it was recorded.'),
})
export type MetricEvent = Static<typeof MetricEvent>

export const MetricEventList = closed('One page of metric events.', {
  events: Type.Array(MetricEvent, { description: 'One page of events, newest `at` first.' }),
  next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
})
export type MetricEventList = Static<typeof MetricEventList>
