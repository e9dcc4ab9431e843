import type { Webhook as WebhookBody, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import type { ShownOnce } from '../webhooks/subscriptions/use-cases.ts'
import type { Webhook } from '../ports/webhooks/webhook.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'
import { shownUrl } from './webhook-secrecy.ts'

/** @param seesSecrets see `webhook-secrecy.ts` */
export function toWebhookBody(webhook: Webhook, seesSecrets: boolean): WebhookBody {
  return {
    id: webhook.id,
    project_id: webhook.projectId,
    url: shownUrl(webhook.url, seesSecrets),
    events: [...webhook.events],
    format: webhook.format,
    description: webhook.description,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    disabled_at: toWireTimeOrNull(webhook.disabledAt),
    previous_secret_expires_at: toWireTimeOrNull(webhook.previousSecretUntil),
    created_at: toWireTime(webhook.createdAt),
    updated_at: toWireTime(webhook.updatedAt),
  }
}

export function toWebhookWithSecret({ webhook, secret }: ShownOnce): WebhookWithSecret {
  return { ...toWebhookBody(webhook, true), ...(secret !== null && { secret }) }
}
