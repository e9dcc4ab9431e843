import { Type, type Static } from 'typebox'
import { DEFAULT_LIMITS, METRIC_COMMENT_LENGTH, NAME_LENGTH } from '../../limits.ts'
import { METRIC_SOURCES } from './metric-event.ts'
import { TIMESTAMP_PATTERN } from '../traces/trace-body.ts'

/**
 * What a client may send as a judgement. Closed: an unknown field is refused by name.
 *
 * Not sayable here and checked beside it by the service: that there is exactly one of `passed` and `value` and that it is of the metric's kind,
 * in its range and among its options, limits on metadata keys, the bounds of `at`, fields given twice, text that is not valid Unicode.
 */
export const MetricEventBody = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'A defined metric.' }),
    trace_id: Type.String({ minLength: 1, description: 'The judged trace.' }),
    step_id: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        description: 'The judged step of that trace; null or absent when the event applies to the whole trace.',
      }),
    ),
    passed: Type.Optional(Type.Boolean({ description: 'Of a boolean metric. Exactly one of `passed` and `value`.' })),
    value: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        description: 'A number for a numeric metric, the value of an option for an enum metric.',
      }),
    ),
    source: Type.Optional(Type.Enum(METRIC_SOURCES, { description: 'Who judged.' })),
    comment: Type.Optional(Type.String({ maxLength: METRIC_COMMENT_LENGTH, description: 'Why, in words.' })),
    metadata: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: `Free-form key/value pairs, for example which evaluator judged: at most ${DEFAULT_LIMITS.metadataKeys} keys of at most ${DEFAULT_LIMITS.metadataKeyLength} characters. Kept losslessly.`,
          examples: [{ evaluator: 'exact-match' }],
        },
      ),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: NAME_LENGTH,
        description: 'Makes a retry safe: the same key in the same trace counts once. Apart from the keys of steps.',
      }),
    ),
    at: Type.Optional(
      Type.String({
        title: 'RFC 3339 time with `Z` or an offset, from 2000 on',
        pattern: TIMESTAMP_PATTERN,
        description:
          'When the judgement was made: from the year 2000 to five minutes ahead of the service; kept to milliseconds. Absent: now.',
        examples: ['2026-01-31T12:00:00.000Z'],
      }),
    ),
  },
  { additionalProperties: false, description: 'One judgement of a trace or one of its steps.' },
)
export type MetricEventBody = Static<typeof MetricEventBody>
