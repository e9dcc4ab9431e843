import type { WebhookFormat } from '@spoor/contract/webhook-formats'
import type { WebhookEventType } from '@spoor/contract/events'

/** The fields that a client sets. */
export interface WebhookDraft {
  readonly url: string
  readonly format: WebhookFormat
  readonly events: readonly WebhookEventType[]
  readonly description: string
  readonly enabled: boolean
  /** Null: the service generates one. */
  readonly secret: string | null
}

/** The fields to change; absent ones stay. */
export type WebhookChange = Partial<Omit<WebhookDraft, 'secret' | 'format'>>
