import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook, WebhookCreate, WebhookPatch, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import type { QueryClient } from '@tanstack/react-query'
import { allQuery, readQuery } from './client/queries.ts'
import { patch, post, remove } from './client/request.ts'

/** A webhook, as identified by its path. */
export type WebhookPlace = Pick<Webhook, 'project_id' | 'id'>

export const pathOfWebhook = ({ project_id, id }: WebhookPlace) =>
  `/v1/projects/${project_id}/webhooks/${encodeURIComponent(id)}`

export const webhooksQuery = (projectId: string) =>
  allQuery<Webhook>(['webhooks', projectId], `/v1/projects/${projectId}/webhooks`, 'webhooks')

export const webhookQuery = (project_id: string, id: string) =>
  readQuery<Webhook>(['webhook', project_id, id], pathOfWebhook({ project_id, id }))

/** Shows a change at once, without the secret. */
export function keepWebhook(queryClient: QueryClient, { secret: _, ...webhook }: WebhookWithSecret): void {
  queryClient.setQueryData(webhookQuery(webhook.project_id, webhook.id).queryKey, webhook)
  void queryClient.invalidateQueries({ queryKey: webhooksQuery(webhook.project_id).queryKey })
}

export const createWebhook = (projectId: string, body: WebhookCreate) =>
  post<WebhookWithSecret>(`/v1/projects/${projectId}/webhooks`, body)

export const patchWebhook = (webhook: Webhook, body: WebhookPatch) => patch<Webhook>(pathOfWebhook(webhook), body)
export const deleteWebhook = (webhook: Webhook) => remove(pathOfWebhook(webhook))
/** The service generates the next secret. */
export const rotateSecret = (webhook: Webhook) => post<WebhookWithSecret>(`${pathOfWebhook(webhook)}/rotate-secret`, {})
export const pingWebhook = (webhook: Webhook) => post<Delivery>(`${pathOfWebhook(webhook)}/ping`)
