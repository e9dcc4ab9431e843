import { Type, type Static } from 'typebox'
import { DELIVERED_EVENT_TYPES } from '../events.ts'
import { ListQuery } from './list-query.ts'
import {
  closed,
  count,
  idString,
  nullableInteger,
  nullablePrintedTime,
  nullableString,
  parameters,
  printedTime,
  requestTime,
} from './primitives.ts'

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

const EventType = Type.Enum(DELIVERED_EVENT_TYPES, { description: 'The type of the event.' })
const AttemptErrorCode = Type.Enum(ATTEMPT_ERRORS, {
  description:
    'Why the attempt got no answer. `dns_failed`: the host name cannot be resolved, or only to addresses that the service does not deliver to; `address_refused`: the URL contains such an address.',
})

const headers = (description: string) => Type.Record(Type.String(), Type.String(), { description })

const deliveryFields = {
  id: idString('dlv', 'The delivery.'),
  webhook_id: idString('wh', 'The webhook of the delivery.'),
  event_id: idString('evt', 'The event: `webhook-id` of every attempt and `id` in the body.'),
  event: EventType,
  status: Type.Enum(DELIVERY_STATUSES, {
    description:
      '`pending` until an attempt succeeds or the delivery is given up. `cancelled`: its webhook was deleted before that.',
  }),
  reason: Type.Unsafe<(typeof FAILURE_REASONS)[number] | null>({
    type: ['string', 'null'],
    enum: [...FAILURE_REASONS, null],
    description:
      'Why it failed. `attempts_exhausted`: every attempt of the schedule failed. `expired`: 24 hours passed since the first attempt failed, or since it was due while its webhook was disabled. `gone`: the receiver answered `410`. `trace_deleted`: its trace was deleted. ' +
      'While its webhook is enabled, a delivery fails only after an attempt, except when its trace is deleted. Null unless it failed.',
  }),
  attempt_count: count('Attempts made so far.'),
  last_response_status: nullableInteger({
    description: 'The HTTP status of the last attempt; null if it got no answer.',
  }),
  last_error: Type.Unsafe<(typeof ATTEMPT_ERRORS)[number] | null>({
    type: ['string', 'null'],
    enum: [...ATTEMPT_ERRORS, null],
    description: 'Why the last attempt got no complete answer.',
  }),
  last_attempt_at: nullablePrintedTime('When the last attempt was made; null before the first attempt.'),
  next_attempt_at: nullablePrintedTime(
    'The earliest time of the next attempt: when it is due, or when a receiver that failed ten times in a row is retried, with this delivery or one that has waited longer. ' +
      'Null unless the delivery is pending and its webhook is enabled.',
  ),
  created_at: printedTime('When the event happened.'),
  finished_at: nullablePrintedTime('When it succeeded, failed or was cancelled; null while it is pending.'),
}

export const Delivery = closed('The delivery of one event to one webhook.', deliveryFields)
export type Delivery = Static<typeof Delivery>

export const DeliveryAttempt = closed('One attempt of a delivery.', {
  number: Type.Integer({ minimum: 1, description: 'The number of the attempt. Redeliveries continue the count.' }),
  started_at: printedTime('When it began.'),
  duration_ms: count('Its duration in milliseconds.'),
  request: closed('The request, without its body.', {
    url: Type.String({
      description:
        'The URL of the request. A key without `manage` sees only scheme, host and port, with `/…` for the rest.',
    }),
    headers: headers('The headers sent; for a key without `manage` without the signatures.'),
  }),
  response: Type.Union(
    [
      closed('The answer of the receiver.', {
        status: Type.Integer({ description: 'The HTTP status.' }),
        headers: headers(
          'The headers received, with lower-case names; for a key without `manage` without those that contain URLs (such as `location`).',
        ),
        body: Type.String({ description: 'The first 16 KiB of the body.' }),
        truncated: Type.Boolean({ description: 'Whether the body was longer.' }),
      }),
      Type.Null(),
    ],
    { description: 'The answer of the receiver; null if there was none.' },
  ),
  error: Type.Union(
    [
      closed('The error of an attempt.', {
        code: AttemptErrorCode,
        detail: Type.String({ description: 'The error in words.' }),
      }),
      Type.Null(),
    ],
    { description: 'Why there was no complete answer; null if there was one.' },
  ),
})
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const DeliveryDetail = closed('A delivery with its body and attempts.', {
  ...deliveryFields,
  body: Type.String({ description: 'The body of every attempt as JSON text; empty after its trace was deleted.' }),
  attempts: Type.Array(DeliveryAttempt, { description: 'Every attempt, oldest first.' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const DeliveryList = closed('One page of deliveries.', {
  deliveries: Type.Array(Delivery, { description: 'One page of deliveries, newest first.' }),
  next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
})
export type DeliveryList = Static<typeof DeliveryList>

/** The filters of the list of deliveries; a delivery must match all that are given. */
export const DeliveryQuery = parameters({
  event: Type.Optional(Type.Enum(DELIVERED_EVENT_TYPES, { description: 'Deliveries of events of this type.' })),
  status: Type.Optional(Type.Enum(DELIVERY_STATUSES, { description: 'Deliveries with this status.' })),
  start_time: Type.Optional(
    requestTime('Created at this time or later: RFC 3339, or a date alone for its midnight UTC.'),
  ),
  end_time: Type.Optional(requestTime('Created before this time: RFC 3339, or a date alone for its midnight UTC.')),
  ...ListQuery.properties,
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const RedeliverFailed = closed('Which deliveries to send again.', {
  since: requestTime(
    'Failed deliveries created at this time or later: RFC 3339, or a date alone for its midnight UTC.',
  ),
})
export type RedeliverFailed = Static<typeof RedeliverFailed>

export const RedeliveredCount = closed('How many deliveries will be sent again.', {
  count: count('The number of deliveries.'),
})
export type RedeliveredCount = Static<typeof RedeliveredCount>
