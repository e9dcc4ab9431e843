import { Type, type Static } from 'typebox'
import { DELIVERED_EVENT_TYPES } from '../events.ts'
import { ListQuery } from './list-query.ts'
import { count, idString, nullableInteger, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'

const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const
const FAILURE_REASONS = ['attempts_exhausted', 'expired', 'gone', 'trace_deleted'] as const
const ATTEMPT_ERRORS = [
  'address_refused',
  'dns_failed',
  'connection_refused',
  'connection_failed',
  'tls_failed',
  'timeout',
  'bad_response',
  'interrupted',
] as const

const EventType = Type.Enum(DELIVERED_EVENT_TYPES, { description: 'The type of its event.' })
const AttemptErrorCode = Type.Enum(ATTEMPT_ERRORS, {
  description:
    'What the attempt met instead of an answer. `dns_failed`: the name has no address that deliveries go to, whether it cannot be resolved or is at private addresses; `address_refused`: the URL has such an address itself.',
})

const headers = (description: string) => Type.Record(Type.String(), Type.String(), { description })

const deliveryFields = {
  id: idString('dlv', 'The delivery.'),
  webhook_id: idString('wh', 'The webhook it belongs to.'),
  event_id: idString('evt', 'Its event: `webhook-id` of every attempt and `id` of the body.'),
  event: EventType,
  status: Type.Enum(DELIVERY_STATUSES, {
    description: '`pending` until an attempt succeeds or it is given up; `cancelled`: its webhook was deleted before.',
  }),
  reason: Type.Unsafe<(typeof FAILURE_REASONS)[number] | null>({
    type: ['string', 'null'],
    enum: [...FAILURE_REASONS, null],
    description:
      'Why it failed: every attempt of the schedule did; 24 hours passed since the first one failed, or since it was due while its webhook was disabled; the receiver answered `410`; its trace was deleted. ' +
      'While its webhook is enabled none fails that was not tried, but for a deleted trace. Null unless it failed.',
  }),
  attempt_count: count('Attempts made so far.'),
  last_response_status: nullableInteger({ description: 'What the last attempt was answered with; null: nothing.' }),
  last_error: Type.Unsafe<(typeof ATTEMPT_ERRORS)[number] | null>({
    type: ['string', 'null'],
    enum: [...ATTEMPT_ERRORS, null],
    description: 'What the last attempt met instead of an answer, or in the middle of one.',
  }),
  last_attempt_at: nullablePrintedTime('When the last attempt was made; null before the first.'),
  next_attempt_at: nullablePrintedTime(
    'When the next attempt is made, at the earliest: when it is due, or when a receiver that failed ten times in a row is tried again, by this delivery or one that has waited longer. ' +
      'Null unless it is pending, and while its webhook is disabled.',
  ),
  created_at: printedTime('When its event happened.'),
  finished_at: nullablePrintedTime('When it succeeded, was given up or cancelled; null while it is pending.'),
}

export const Delivery = Type.Object(deliveryFields, {
  additionalProperties: false,
  description: 'One event on its way to one webhook.',
})
export type Delivery = Static<typeof Delivery>

export const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Which attempt it was, redeliveries counted on.' }),
    started_at: printedTime('When it began.'),
    duration_ms: count('How long it took, milliseconds.'),
    request: Type.Object(
      {
        url: Type.String({
          description:
            'Where it went. A key without `manage` sees scheme, host and port alone, with `/…` for the rest.',
        }),
        headers: headers('The headers sent; for a key without `manage` those that sign are left out.'),
      },
      { additionalProperties: false, description: 'What was sent, beside the body.' },
    ),
    response: Type.Union(
      [
        Type.Object(
          {
            status: Type.Integer({ description: 'The HTTP status.' }),
            headers: headers(
              'The headers received, names in lower case; for a key without `manage` those that lead elsewhere (such as `location`) are left out.',
            ),
            body: Type.String({ description: 'At most the first 16 KiB.' }),
            truncated: Type.Boolean({ description: 'Whether there was more.' }),
          },
          { additionalProperties: false, description: 'An answer.' },
        ),
        Type.Null(),
      ],
      { description: 'What the receiver answered; null when nothing came.' },
    ),
    error: Type.Union(
      [
        Type.Object(
          { code: AttemptErrorCode, detail: Type.String({ description: 'The same in words.' }) },
          { additionalProperties: false, description: 'A failure.' },
        ),
        Type.Null(),
      ],
      { description: 'What went wrong on the way; null when an answer came whole.' },
    ),
  },
  { additionalProperties: false, description: 'One try to deliver.' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const DeliveryDetail = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: 'The body of every attempt, JSON text; empty once its trace is deleted.' }),
    attempts: Type.Array(DeliveryAttempt, { description: 'Every attempt, oldest first.' }),
  },
  { additionalProperties: false, description: 'A delivery with what was sent and answered.' },
)
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const DeliveryList = Type.Object(
  {
    deliveries: Type.Array(Delivery, { description: 'One page of deliveries, newest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of deliveries.' },
)
export type DeliveryList = Static<typeof DeliveryList>

const time = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: ['2026-01-31T12:00:00Z', '2026-01-31'] }))

/** The filters of the list of deliveries; a delivery must match all that are given. */
export const DeliveryQuery = Type.Object(
  {
    event: Type.Optional(Type.Enum(DELIVERED_EVENT_TYPES, { description: 'Deliveries of this type of event.' })),
    status: Type.Optional(Type.Enum(DELIVERY_STATUSES, { description: 'Deliveries with this status.' })),
    start_time: time('Created at this time or later: RFC 3339, or a date alone for its midnight UTC.'),
    end_time: time('Created before this time: RFC 3339, or a date alone for its midnight UTC.'),
    ...ListQuery.properties,
  },
  { additionalProperties: false },
)
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const RedeliverFailed = Type.Object(
  {
    since: Type.String({
      minLength: 1,
      description: 'Failed deliveries created at this time or later: RFC 3339, or a date alone for its midnight UTC.',
    }),
  },
  { additionalProperties: false, description: 'Which deliveries to send again.' },
)
export type RedeliverFailed = Static<typeof RedeliverFailed>

export const RedeliveredCount = Type.Object(
  { count: count('Deliveries that are due again.') },
  { additionalProperties: false, description: 'How many deliveries are sent again.' },
)
export type RedeliveredCount = Static<typeof RedeliveredCount>
