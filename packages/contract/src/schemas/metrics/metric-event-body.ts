import { Type, type Static } from 'typebox'
import { closed, flagOf, optional, shortText } from '../primitives.ts'
import { DEFAULT_LIMITS, METRIC_COMMENT_LENGTH, NAME_LENGTH } from '../../limits.ts'
import { METRIC_SOURCES } from './metric-event.ts'
import { TIMESTAMP_PATTERN } from '../traces/trace-body.ts'

/**
 * A metric event as a client may send it. Closed: an unknown field is refused by name.
 *
 * The service also checks what a schema cannot express: that there is exactly one of `passed` and `value` and that it
 * matches the kind, the range and the options of the metric, limits on metadata keys, the bounds of `at`, duplicate
 * fields, and text that is not valid Unicode.
 */
export const MetricEventBody = closed('One value of a metric for a trace or one of its steps.', {
  name: Type.String({ minLength: 1, description: 'A defined metric.' }),
  trace_id: Type.String({
    minLength: 1,
    description: 'The trace that the event is about, by its id or by the 32 hex digits that OpenTelemetry knows it by.',
  }),
  ...optional({
    step_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      description: 'The step of that trace that the event is about; null or omitted if it is about the whole trace.',
    }),
    passed: flagOf('For a boolean metric. Send exactly one of `passed` and `value`.'),
    value: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'A number for a numeric metric, the value of an option for an enum metric.',
    }),
    source: Type.Enum(METRIC_SOURCES, { description: 'Who or what produced the value.' }),
    comment: Type.String({ maxLength: METRIC_COMMENT_LENGTH, description: 'Why, in words.' }),
    metadata: Type.Object(
      {},
      {
        additionalProperties: true,
        description: `Free-form key/value pairs, for example the evaluator: at most ${DEFAULT_LIMITS.metadataKeys} keys of at most ${DEFAULT_LIMITS.metadataKeyLength} characters. Stored losslessly.`,
        examples: [{ evaluator: 'exact-match' }],
      },
    ),
    idempotency_key: shortText(
      NAME_LENGTH,
      'Makes a retry safe: the same key in the same trace counts once. Keys of steps are separate.',
    ),
    at: Type.String({
      title: 'RFC 3339 time with `Z` or an offset, from 2000 on',
      pattern: TIMESTAMP_PATTERN,
      description:
        'When the value was determined: from the year 2000 to five minutes ahead of the clock of the service, stored to the millisecond. Default: now.',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  }),
})
export type MetricEventBody = Static<typeof MetricEventBody>
