import { Type } from 'typebox'
import { Delivery } from '../schemas/delivery.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { idParameter } from '../schemas/primitives.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookList,
  WebhookPatch,
  WebhookRotate,
  WebhookWithSecret,
} from '../schemas/webhook.ts'
import { JSON_BODY_ERRORS, LIST_ERRORS, type Operation } from './operation.ts'
import { WEBHOOK_EXAMPLES, WEBHOOK_PATCH_EXAMPLES, WEBHOOK_ROTATE_EXAMPLES } from './webhook-examples.ts'

const project_id = idParameter(
  'proj',
  "The project: the key's own. Any other is answered like one that does not exist.",
)
const ProjectPath = Type.Object({ project_id }, { additionalProperties: false })
export const WebhookPath = Type.Object(
  { project_id, id: idParameter('wh', 'The webhook.') },
  { additionalProperties: false },
)

/** What a write of the control store or the deliveries can meet. */
export const WEBHOOK_WRITING_ERRORS = ['disk_full', 'storage_unavailable'] as const

export const WEBHOOK_OPERATIONS = {
  createWebhook: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks',
    tag: 'webhooks',
    summary: 'Make a webhook',
    description:
      'Events that happen from then on are delivered to its URL, signed with its secret, each at least once and not always in order. ' +
      'A failed delivery is tried again for up to 24 hours.',
    scopes: ['manage'],
    pathParameters: ProjectPath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: WebhookCreate,
      description: 'Where deliveries go and of what.',
      examples: WEBHOOK_EXAMPLES,
    },
    responses: { 201: { description: 'It is made.', content: { 'application/json': WebhookWithSecret } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', ...WEBHOOK_WRITING_ERRORS],
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks',
    tag: 'webhooks',
    summary: 'List webhooks',
    description: 'Oldest first.',
    scopes: ['read'],
    pathParameters: ProjectPath,
    query: ListQuery,
    responses: { 200: { description: 'One page of webhooks.', content: { 'application/json': WebhookList } } },
    errors: ['not_found', ...LIST_ERRORS],
  },
  readWebhook: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id',
    tag: 'webhooks',
    summary: 'Read a webhook',
    description: 'With why it is disabled, if it is. Its secret is never shown.',
    scopes: ['read'],
    pathParameters: WebhookPath,
    responses: { 200: { description: 'The webhook.', content: { 'application/json': Webhook } } },
    errors: ['not_found'],
  },
  patchWebhook: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/webhooks/:id',
    tag: 'webhooks',
    summary: 'Change, disable or enable a webhook',
    description:
      'A new URL holds from the next attempt on, for pending deliveries too; new events for what happens from then on. While it is disabled its pending deliveries rest, and it gets no new ones; ' +
      'once enabled, it gets what happens from then on, and those that rested for less than 24 hours go on.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: WebhookPatch,
      fieldHints: {
        secret: 'A secret is changed with POST …/rotate-secret, so that the old one signs too for a while.',
      },
      description: 'What to change.',
      examples: WEBHOOK_PATCH_EXAMPLES,
    },
    responses: { 200: { description: 'It is changed.', content: { 'application/json': Webhook } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', ...WEBHOOK_WRITING_ERRORS],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/webhooks/:id',
    tag: 'webhooks',
    summary: 'Delete a webhook',
    description:
      'With the log of its deliveries. Pending ones are cancelled; an attempt that is under way may still arrive.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    responses: { 204: { description: 'It is gone.', content: {} } },
    errors: ['not_found', ...WEBHOOK_WRITING_ERRORS],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/rotate-secret',
    tag: 'webhooks',
    summary: 'Change the secret of a webhook',
    description:
      'For 24 hours both secrets sign in `webhook-signature`, `x-service-signature` is of the new one at once. Rotating again within that time ends the older of the two. The current secret sent once more changes nothing.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: WebhookRotate,
      description: 'The new secret, or an empty object for one that the service makes.',
      examples: WEBHOOK_ROTATE_EXAMPLES,
    },
    responses: { 200: { description: 'It is changed.', content: { 'application/json': WebhookWithSecret } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', ...WEBHOOK_WRITING_ERRORS],
  },
  pingWebhook: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/ping',
    tag: 'webhooks',
    summary: 'Send a ping to a webhook',
    description: 'One delivery of type `ping`, signed like any other and tried once.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    responses: { 202: { description: 'It is on its way.', content: { 'application/json': Delivery } } },
    errors: ['not_found', 'webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
} as const satisfies Record<string, Operation>
