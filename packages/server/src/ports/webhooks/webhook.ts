import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { WebhookEventType } from '@spoor/contract/events'
import type { WebhookFormat } from '@spoor/contract/webhook-formats'

/** Why a subscription is disabled: a client disabled it; its receiver answered `410`; nothing succeeded for 5 days. */
export type DisabledReason = 'by_request' | 'gone' | 'no_success'

/** A subscription, without its secrets. Times in milliseconds since 1970 UTC. */
export interface Webhook {
  readonly id: WebhookId
  readonly projectId: ProjectId
  readonly url: string
  /** Without duplicates, in the order of the contract. */
  readonly events: readonly WebhookEventType[]
  /** Never changes. */
  readonly format: WebhookFormat
  readonly description: string
  readonly enabled: boolean
  /** Null exactly while it is enabled. */
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: number | null
  /** It gets events after this journal position: the head when it was created or last enabled. */
  readonly sincePosition: number
  /** Until when the previous secret signs too; null if there is none. */
  readonly previousSecretUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}
