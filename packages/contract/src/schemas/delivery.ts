import { Type, type Static } from 'typebox'
import { DELIVERED_EVENT_TYPES } from '../events.ts'
import { ListQuery } from './list-query.ts'
import * as schema from './primitives.ts'

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
  id: schema.idString('dlv', 'The delivery.'),
  webhook_id: schema.idString('wh', 'The webhook of the delivery.'),
  event_id: schema.idString('evt', 'The event: `webhook-id` of every attempt and `id` in the body.'),
  event: EventType,
  status: Type.Enum(DELIVERY_STATUSES, {
    description:
      '`pending` until an attempt succeeds or the delivery is given up. `cancelled`: its webhook was deleted before that.',
  }),
  reason: schema.nullableEnum(
    FAILURE_REASONS,
    'Why it failed. `attempts_exhausted`: every attempt of the schedule failed. `expired`: 24 hours passed since the first attempt failed, or since it was due while its webhook was disabled. `gone`: the receiver answered `410`. `trace_deleted`: its trace was deleted. ' +
      'While its webhook is enabled, a delivery fails only after an attempt, except when its trace is deleted. Null unless it failed.',
  ),
  attempt_count: schema.count('Attempts made so far.'),
  last_response_status: schema.nullableInteger({
    description: 'The HTTP status of the last attempt; null if it got no answer.',
  }),
  last_error: schema.nullableEnum(ATTEMPT_ERRORS, 'Why the last attempt got no complete answer.'),
  last_attempt_at: schema.nullablePrintedTime('When the last attempt was made; null before the first attempt.'),
  next_attempt_at: schema.nullablePrintedTime(
    'The earliest time of the next attempt: when it is due, or when a receiver that failed ten times in a row is retried, with this delivery or one that has waited longer. ' +
      'Null unless the delivery is pending and its webhook is enabled.',
  ),
  created_at: schema.printedTime('When the event happened.'),
  finished_at: schema.nullablePrintedTime('When it succeeded, failed or was cancelled; null while it is pending.'),
}

export const Delivery = schema.closed('The delivery of one event to one webhook.', deliveryFields)
export type Delivery = Static<typeof Delivery>

export const DeliveryAttempt = schema.closed('One attempt of a delivery.', {
  number: Type.Integer({ minimum: 1, description: 'The number of the attempt. Redeliveries continue the count.' }),
  started_at: schema.printedTime('When it began.'),
  duration_ms: schema.count('Its duration in milliseconds.'),
  request: schema.closed('The request, without its body.', {
    url: schema.textOf(
      'The URL of the request. A key without `manage` sees only scheme, host and port, with `/…` for the rest.',
    ),
    headers: headers('The headers sent; for a key without `manage` without the signatures.'),
  }),
  response: schema.nullable(
    schema.closed('The answer of the receiver.', {
      status: Type.Integer({ description: 'The HTTP status.' }),
      headers: headers(
        'The headers received, with lower-case names; for a key without `manage` without those that contain URLs (such as `location`).',
      ),
      body: schema.textOf('The first 16 KiB of the body.'),
      truncated: schema.flagOf('Whether the body was longer.'),
    }),
    'The answer of the receiver; null if there was none.',
  ),
  error: schema.nullable(
    schema.closed('The error of an attempt.', {
      code: AttemptErrorCode,
      detail: schema.textOf('The error in words.'),
    }),
    'Why there was no complete answer; null if there was one.',
  ),
})
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const DeliveryDetail = schema.closed('A delivery with its body and attempts.', {
  ...deliveryFields,
  body: schema.textOf('The body of every attempt as JSON text; empty after its trace was deleted.'),
  attempts: schema.listOf(DeliveryAttempt, 'Every attempt, oldest first.'),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const DeliveryList = schema.pageOf('deliveries', Delivery, 'newest first')
export type DeliveryList = Static<typeof DeliveryList>

/** The filters of the list of deliveries; a delivery must match all that are given. */
export const DeliveryQuery = schema.parameters({
  event: Type.Optional(Type.Enum(DELIVERED_EVENT_TYPES, { description: 'Deliveries of events of this type.' })),
  status: Type.Optional(Type.Enum(DELIVERY_STATUSES, { description: 'Deliveries with this status.' })),
  start_time: Type.Optional(
    schema.requestTime('Created at this time or later: RFC 3339, or a date alone for its midnight UTC.'),
  ),
  end_time: Type.Optional(
    schema.requestTime('Created before this time: RFC 3339, or a date alone for its midnight UTC.'),
  ),
  ...ListQuery.properties,
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const RedeliverFailed = schema.closed('Which deliveries to send again.', {
  since: schema.requestTime(
    'Failed deliveries created at this time or later: RFC 3339, or a date alone for its midnight UTC.',
  ),
})
export type RedeliverFailed = Static<typeof RedeliverFailed>

export const RedeliveredCount = schema.closed('How many deliveries will be sent again.', {
  count: schema.count('The number of deliveries.'),
})
export type RedeliveredCount = Static<typeof RedeliveredCount>
