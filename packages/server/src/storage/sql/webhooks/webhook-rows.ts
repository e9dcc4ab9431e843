import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { WebhookEventType } from '@spoor/contract/events'
import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DisabledReason, Webhook } from '../../../ports/webhooks/webhook.ts'

export type WebhookRow = Readonly<Record<string, SQLOutputValue>>

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row['id'] as WebhookId,
    projectId: row['project_id'] as ProjectId,
    url: row['url'] as string,
    events: (row['events'] as string).split(',') as WebhookEventType[],
    description: row['description'] as string,
    enabled: row['enabled'] === 1,
    disabledReason: row['disabled_reason'] as DisabledReason | null,
    disabledAt: row['disabled_at'] as number | null,
    sincePosition: row['since_position'] as number,
    previousSecretUntil: row['previous_secret_until'] as number | null,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
  }
}

/** What can change, in the order of the columns in the statements. */
export function changingValues(webhook: Webhook): SQLInputValue[] {
  const { url, events, description, enabled, disabledReason, disabledAt, sincePosition, updatedAt } = webhook
  return [url, events.join(), description, enabled ? 1 : 0, disabledReason, disabledAt, sincePosition, updatedAt]
}
