import { Type, type Static } from 'typebox'
import { Metadata } from '../metadata.ts'
import { idString, nullableIdString, nullableString, printedTime } from '../primitives.ts'

export const METRIC_SOURCES = ['human', 'code', 'llm'] as const
export type MetricSource = (typeof METRIC_SOURCES)[number]

/** One judgement recorded against a trace or one of its steps. Exactly one of `passed` and `value` is not null. */
export const MetricEvent = Type.Object(
  {
    id: idString('mev', 'The event.'),
    name: Type.String({ description: 'The metric it belongs to.' }),
    trace_id: idString('tr', 'The judged trace.'),
    step_id: nullableIdString('st', 'The judged step; null when the event applies to the whole trace.'),
    passed: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'For boolean metrics.' }),
    value: Type.Unsafe<number | string | null>({
      type: ['number', 'string', 'null'],
      description: 'A number for numeric metrics, the value of an option for enum metrics.',
    }),
    source: Type.Unsafe<MetricSource | null>({
      type: ['string', 'null'],
      enum: [...METRIC_SOURCES, null],
      description: 'Who judged.',
    }),
    comment: nullableString({ description: 'Why, in words.' }),
    metadata: Metadata,
    idempotency_key: nullableString({ description: 'The key it was recorded with.' }),
    at: printedTime('When the judgement was made: where it stands in lists and series.'),
    created_at: printedTime('When it was recorded.'),
  },
  { additionalProperties: false, description: 'A metric event of a trace.' },
)
export type MetricEvent = Static<typeof MetricEvent>

export const MetricEventList = Type.Object(
  {
    events: Type.Array(MetricEvent, { description: 'One page of the events, newest judgement first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of metric events.' },
)
export type MetricEventList = Static<typeof MetricEventList>
