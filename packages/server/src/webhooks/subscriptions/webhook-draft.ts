import type { WebhookEventType } from '@spoor/contract/events'

/** A webhook as a client asks for it. */
export interface WebhookDraft {
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly description: string
  readonly enabled: boolean
  /** Null: the service makes one. */
  readonly secret: string | null
}

/** What is to be changed; what is not there stays. */
export type WebhookChange = Partial<Omit<WebhookDraft, 'secret'>>
