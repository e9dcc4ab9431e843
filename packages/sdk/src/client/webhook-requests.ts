import type { RedeliverFailed, WebhookCreate, WebhookPatch, WebhookRotate } from './generated/api-types.ts'
import type { Call, Query } from './call.ts'

/** The webhooks of a project, and their deliveries. */
export function webhookRequests(call: Call, project_id: string) {
  const one = (id: string) => ({ project_id, id })
  return {
    /** The answer contains the secret, which no later answer does. */
    create: (body: WebhookCreate) => call('createWebhook', { path: { project_id }, body }),
    list: (query?: Query<'listWebhooks'>) => call('listWebhooks', { path: { project_id }, query: query ?? {} }),
    get: (id: string) => call('readWebhook', { path: one(id) }),
    update: (id: string, body: WebhookPatch) => call('patchWebhook', { path: one(id), body }),
    delete: (id: string) => call('deleteWebhook', { path: one(id) }),
    rotateSecret: (id: string, body: WebhookRotate = {}) => call('rotateWebhookSecret', { path: one(id), body }),
    ping: (id: string) => call('pingWebhook', { path: one(id) }),
    deliveries: (id: string, query?: Query<'listDeliveries'>) =>
      call('listDeliveries', { path: one(id), query: query ?? {} }),
    delivery: (id: string, delivery_id: string) => call('readDelivery', { path: { ...one(id), delivery_id } }),
    redeliver: (id: string, delivery_id: string) => call('redeliver', { path: { ...one(id), delivery_id } }),
    redeliverFailed: (id: string, body: RedeliverFailed) => call('redeliverFailed', { path: one(id), body }),
  }
}
