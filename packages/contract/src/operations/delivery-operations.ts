import {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  RedeliveredCount,
  RedeliverFailed,
} from '../schemas/delivery.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { jsonBody, type Operation } from './operation.ts'
import { WEBHOOK_WRITING_ERRORS, WebhookPath } from './webhook-operations.ts'

const DeliveryPath = parameters({ ...WebhookPath.properties, delivery_id: idParameter('dlv', 'The delivery.') })

export const DELIVERY_OPERATIONS = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, for as long as the log is retained. Paging by cursor returns each delivery once, even while new ones are created. ' +
      'After ten consecutive failures across all its deliveries, a webhook gets one attempt at a time, at most a minute apart, until an attempt is answered with a status below 500 other than `429`; `next_attempt_at` says when.',
    scopes: ['read'],
    pathParameters: WebhookPath,
    query: DeliveryQuery,
    responses: { 200: { description: 'One page of deliveries.', content: { 'application/json': DeliveryList } } },
  },
  readDelivery: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/:delivery_id',
    summary: 'Read a delivery',
    description: 'The delivery with its body and every attempt: the request, the answer and the duration.',
    scopes: ['read'],
    pathParameters: DeliveryPath,
    responses: { 200: { description: 'The delivery.', content: { 'application/json': DeliveryDetail } } },
  },
  redeliver: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/:delivery_id/redeliver',
    summary: 'Send a delivery again',
    description:
      'Sends the same body under the same `webhook-id` again, at once and with a new schedule of attempts, whatever the status of the delivery. It does not wait, even if other deliveries wait because the receiver failed repeatedly; ' +
      'if it succeeds, the others follow.',
    scopes: ['manage'],
    pathParameters: DeliveryPath,
    responses: { 202: { description: 'The delivery is due.', content: { 'application/json': Delivery } } },
    errors: ['webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
  redeliverFailed: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/deliveries/redeliver-failed',
    summary: 'Send all failed deliveries again',
    description:
      'Sends the failed deliveries that were created since a time, oldest first, each with a new schedule of attempts. After ten consecutive failures the rest wait like all others; `next_attempt_at` says until when.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: jsonBody(RedeliverFailed, 'The earliest time of creation.', {
      day: { summary: 'Since a time', value: { since: '2026-01-31T12:00:00Z' } },
    }),
    responses: { 202: { description: 'The deliveries are due.', content: { 'application/json': RedeliveredCount } } },
    errors: ['webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
} as const satisfies Record<string, Operation>
