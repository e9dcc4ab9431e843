import { Type } from 'typebox'
import {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  RedeliveredCount,
  RedeliverFailed,
} from '../schemas/delivery.ts'
import { idParameter } from '../schemas/primitives.ts'
import { JSON_BODY_ERRORS, LIST_ERRORS, type Operation } from './operation.ts'
import { WEBHOOK_WRITING_ERRORS, WebhookPath } from './webhook-operations.ts'

const DeliveryPath = Type.Object(
  { ...WebhookPath.properties, delivery_id: idParameter('dlv', 'The delivery.') },
  { additionalProperties: false },
)

export const DELIVERY_OPERATIONS = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries',
    tag: 'webhooks',
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, for as long as the log is kept. A walk by cursor sees each delivery once, while new ones are made. ' +
      'After ten failures in a row, of all its deliveries together, a webhook gets one attempt at a time, at most a minute apart, until one is answered with a status below 500 other than `429`; `next_attempt_at` says when.',
    scopes: ['read'],
    pathParameters: WebhookPath,
    query: DeliveryQuery,
    responses: { 200: { description: 'One page of deliveries.', content: { 'application/json': DeliveryList } } },
    errors: ['not_found', ...LIST_ERRORS],
  },
  readDelivery: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/:delivery_id',
    tag: 'webhooks',
    summary: 'Read a delivery',
    description: 'With its body and every attempt: what was sent, what was answered, and how long it took.',
    scopes: ['read'],
    pathParameters: DeliveryPath,
    responses: { 200: { description: 'The delivery.', content: { 'application/json': DeliveryDetail } } },
    errors: ['not_found'],
  },
  redeliver: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/:delivery_id/redeliver',
    tag: 'webhooks',
    summary: 'Send a delivery again',
    description:
      'At once, with a new schedule of attempts, whatever became of it before: the same body under the same `webhook-id`. It does not wait for others, also when the receiver has failed so often that these do; ' +
      'when it succeeds, they follow.',
    scopes: ['manage'],
    pathParameters: DeliveryPath,
    responses: { 202: { description: 'It is on its way.', content: { 'application/json': Delivery } } },
    errors: ['not_found', 'webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
  redeliverFailed: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/redeliver-failed',
    tag: 'webhooks',
    summary: 'Send all failed deliveries again',
    description:
      'Those that failed and were created since a time, oldest first, each with a new schedule. When ten attempts in a row fail, the rest wait as others do; `next_attempt_at` says until when.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: RedeliverFailed,
      description: 'Since when.',
      examples: { day: { summary: 'Since a time', value: { since: '2026-01-31T12:00:00Z' } } },
    },
    responses: { 202: { description: 'They are on their way.', content: { 'application/json': RedeliveredCount } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', 'webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
} as const satisfies Record<string, Operation>
