import { Type, type Static } from 'typebox'
import { Metadata } from './metadata.ts'
import { idString, nullableIdString, nullableString, printedTime } from './primitives.ts'

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
    source: Type.Unsafe<'human' | 'code' | 'llm' | null>({
      type: ['string', 'null'],
      enum: ['human', 'code', 'llm', null],
      description: 'Who judged.',
    }),
    comment: nullableString({ description: 'Why, in words.' }),
    metadata: Metadata,
    idempotency_key: nullableString({ description: 'The key it was recorded with.' }),
    created_at: printedTime('When it was recorded.'),
  },
  { additionalProperties: false, description: 'A metric event of a trace.' },
)
export type MetricEvent = Static<typeof MetricEvent>
