import type { Webhook } from '../../ports/webhooks/webhook.ts'

/** The fields that a client sets. */
export interface WebhookDraft extends Pick<Webhook, 'url' | 'format' | 'events' | 'description' | 'enabled'> {
  /** Null: the service generates one. */
  readonly secret: string | null
}

/** The fields to change; absent ones stay. */
export type WebhookChange = Partial<Omit<WebhookDraft, 'secret' | 'format'>>
