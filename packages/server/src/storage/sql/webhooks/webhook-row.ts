import type { WebhookEventType } from '@spoor/contract/events'
import type { WebhookFormat } from '@spoor/contract/webhook-formats'
import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { DisabledReason, Webhook } from '../../../ports/webhooks/webhook.ts'
import type { WebhookRow } from './webhook-tables.ts'

export function fromWebhookRow(row: WebhookRow, box: SecretBox): Webhook {
  return {
    id: row.id as WebhookId,
    projectId: row.project_id as ProjectId,
    url: box.openText(row.url, urlContext(row.id)),
    events: row.events.split(',') as WebhookEventType[],
    format: row.format as WebhookFormat,
    description: row.description,
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason as DisabledReason | null,
    disabledAt: row.disabled_at,
    sincePosition: row.since_position,
    previousSecretUntil: row.previous_secret_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The columns that both `change` and an insert write. */
export type ChangingColumns = Pick<
  WebhookRow,
  'url' | 'events' | 'description' | 'enabled' | 'disabled_reason' | 'disabled_at' | 'since_position' | 'updated_at'
>

export function toChangingColumns(webhook: Webhook, box: SecretBox): ChangingColumns {
  return {
    url: box.sealText(webhook.url, urlContext(webhook.id)),
    events: webhook.events.join(),
    description: webhook.description,
    enabled: webhook.enabled ? 1 : 0,
    disabled_reason: webhook.disabledReason,
    disabled_at: webhook.disabledAt,
    since_position: webhook.sincePosition,
    updated_at: webhook.updatedAt,
  }
}

/** Not that of its secrets: a URL cannot be copied to where a secret is. */
function urlContext(id: string): string {
  return `${id} url`
}
