import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook, WebhookCreate, WebhookPatch, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

const pathOf = (projectId: string, id?: string) =>
  `/v1/projects/${projectId}/webhooks${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

export function webhooksQuery(projectId: string) {
  return queryOptions({
    queryKey: ['webhooks', projectId],
    queryFn: ({ signal }) => listAll<Webhook>(pathOf(projectId), 'webhooks', signal),
  })
}

export function webhookQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: ['webhook', projectId, id],
    queryFn: ({ signal }) => request<Webhook>(pathOf(projectId, id), { signal }),
  })
}

/** Shows a change at once, without the secret. */
export function keepWebhook(queryClient: QueryClient, { secret: _, ...webhook }: WebhookWithSecret): void {
  queryClient.setQueryData(webhookQuery(webhook.project_id, webhook.id).queryKey, webhook)
  void queryClient.invalidateQueries({ queryKey: webhooksQuery(webhook.project_id).queryKey })
}

export function createWebhook(projectId: string, body: WebhookCreate): Promise<WebhookWithSecret> {
  return request(pathOf(projectId), { method: 'POST', body })
}

export function patchWebhook({ project_id, id }: Webhook, body: WebhookPatch): Promise<Webhook> {
  return request(pathOf(project_id, id), { method: 'PATCH', body })
}

export function deleteWebhook({ project_id, id }: Webhook): Promise<void> {
  return request(pathOf(project_id, id), { method: 'DELETE' })
}

/** The service generates the next secret. */
export function rotateSecret({ project_id, id }: Webhook): Promise<WebhookWithSecret> {
  return request(`${pathOf(project_id, id)}/rotate-secret`, { method: 'POST', body: {} })
}

export function pingWebhook({ project_id, id }: Webhook): Promise<Delivery> {
  return request(`${pathOf(project_id, id)}/ping`, { method: 'POST' })
}
