import { Delivery } from '../schemas/delivery.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookList,
  WebhookPatch,
  WebhookRotate,
  WebhookWithSecret,
} from '../schemas/webhook.ts'
import { jsonBody, type Operation, type OperationRequest } from './operation.ts'

const WEBHOOK_EXAMPLES = {
  made: {
    summary: 'With a secret that the service generates',
    value: { url: 'https://example.com/hooks/spoor', events: ['trace.flagged', 'monitor.fired', 'monitor.resolved'] },
  },
  given: {
    summary: 'With your own secret',
    value: {
      url: 'https://example.com/hooks/spoor',
      events: ['trace.committed'],
      description: 'feeds the review queue',
      secret: 'a long secret of your own',
    },
  },
} as const satisfies OperationRequest['examples']

const WEBHOOK_PATCH_EXAMPLES = {
  events: { summary: 'Other events', value: { events: ['trace.committed', 'trace.flagged'] } },
  enable: { summary: 'Enable it again', value: { enabled: true } },
} as const satisfies OperationRequest['examples']

const WEBHOOK_ROTATE_EXAMPLES = {
  made: { summary: 'To a secret that the service generates', value: {} },
  given: { summary: 'To your own secret', value: { secret: 'another long secret of your own' } },
} as const satisfies OperationRequest['examples']

const project_id = idParameter(
  'proj',
  'The project of the key. For any other project the answer is the same as for one that does not exist.',
)
const ProjectPath = parameters({ project_id })
export const WebhookPath = parameters({ project_id, id: idParameter('wh', 'The webhook.') })

/** Error codes of writes to the control store or the deliveries. */
export const WEBHOOK_WRITING_ERRORS = ['disk_full', 'storage_unavailable'] as const

export const WEBHOOK_OPERATIONS = {
  createWebhook: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks',
    summary: 'Create a webhook',
    description:
      'Events from then on are delivered to its URL, signed with its secret, each at least once and not always in order. ' +
      'A failed delivery is retried for up to 24 hours.',
    scopes: ['manage'],
    pathParameters: ProjectPath,
    request: jsonBody(WebhookCreate, 'The URL and the event types.', WEBHOOK_EXAMPLES),
    audit: { action: 'webhook.created', target: 'webhook', shows: ['events', 'format', 'enabled'] },
    responses: { 201: { description: 'The webhook was created.', content: { 'application/json': WebhookWithSecret } } },
    errors: WEBHOOK_WRITING_ERRORS,
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks',
    summary: 'List webhooks',
    description: 'Oldest first.',
    scopes: ['read'],
    pathParameters: ProjectPath,
    query: ListQuery,
    responses: { 200: { description: 'One page of webhooks.', content: { 'application/json': WebhookList } } },
  },
  readWebhook: {
    method: 'GET',
    path: '/v1/projects/:project_id/webhooks/:id',
    summary: 'Read a webhook',
    description: 'The webhook and, if it is disabled, the reason. Its secret is never shown.',
    scopes: ['read'],
    pathParameters: WebhookPath,
    responses: { 200: { description: 'The webhook.', content: { 'application/json': Webhook } } },
  },
  patchWebhook: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/webhooks/:id',
    summary: 'Change, disable or enable a webhook',
    description:
      'A new URL applies from the next attempt on, also to pending deliveries; new event types apply to later events. A disabled webhook gets no new deliveries and its pending ones are paused; ' +
      'once it is enabled, it gets later events, and deliveries that were paused for less than 24 hours continue.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: {
      ...jsonBody(WebhookPatch, 'What to change.', WEBHOOK_PATCH_EXAMPLES),
      fieldHints: {
        secret: 'Change a secret with POST …/rotate-secret, so that the old one stays valid for a while.',
      },
    },
    audit: { action: 'webhook.changed', target: 'webhook', shows: ['events', 'format', 'enabled'] },
    responses: { 200: { description: 'The webhook was changed.', content: { 'application/json': Webhook } } },
    errors: WEBHOOK_WRITING_ERRORS,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/webhooks/:id',
    summary: 'Delete a webhook',
    description:
      'Deletes the webhook and its delivery log. Pending deliveries are cancelled; an attempt in progress may still arrive.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    audit: { action: 'webhook.deleted', target: 'webhook', shows: [] },
    responses: { 204: { description: 'The webhook was deleted.', content: {} } },
    errors: WEBHOOK_WRITING_ERRORS,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/rotate-secret',
    summary: 'Change the secret of a webhook',
    description:
      'For 24 hours `webhook-signature` has signatures of both secrets; `x-service-signature` uses the new one at once. Another rotation within that time ends the older secret. Sending the current secret again changes nothing.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    request: jsonBody(
      WebhookRotate,
      'The new secret, or an empty object for one that the service generates.',
      WEBHOOK_ROTATE_EXAMPLES,
    ),
    audit: { action: 'webhook.changed', target: 'webhook', shows: [] },
    responses: { 200: { description: 'The secret was changed.', content: { 'application/json': WebhookWithSecret } } },
    errors: WEBHOOK_WRITING_ERRORS,
  },
  pingWebhook: {
    method: 'POST',
    path: '/v1/projects/:project_id/webhooks/:id/ping',
    summary: 'Send a ping to a webhook',
    description: 'One delivery of type `ping`, signed like any other and attempted once.',
    scopes: ['manage'],
    pathParameters: WebhookPath,
    responses: { 202: { description: 'The delivery is due.', content: { 'application/json': Delivery } } },
    errors: ['webhook_disabled', ...WEBHOOK_WRITING_ERRORS],
  },
} as const satisfies Record<string, Operation>
