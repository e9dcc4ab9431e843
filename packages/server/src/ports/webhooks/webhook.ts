import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import type { WebhookEventType } from '@spoor/contract/events'

/** Why a subscription gets nothing: its user said so; its receiver answered `410`; nothing succeeded for 5 days. */
export type DisabledReason = 'by_request' | 'gone' | 'no_success'

/** A subscription, without its secrets. Times in milliseconds since 1970 UTC. */
export interface Webhook {
  readonly id: WebhookId
  readonly projectId: ProjectId
  readonly url: string
  /** Without doubles, in the order of the contract. */
  readonly events: readonly WebhookEventType[]
  readonly description: string
  readonly enabled: boolean
  /** Null exactly while it is enabled. */
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: number | null
  /** Events at this position of the journal or before it are not for this subscription: it was made, or enabled again, behind them. */
  readonly sincePosition: number
  /** Until when the secret before the current one signs too; null when there is none any more. */
  readonly previousSecretUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}
