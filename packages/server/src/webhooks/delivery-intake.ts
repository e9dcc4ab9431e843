import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, EventId, ProjectId, TraceId, WebhookId } from '@spoor/contract/ids'

/** An event that at least one subscription wants, with its deliveries. */
export interface NewEvent {
  readonly id: EventId
  readonly projectId: ProjectId
  /** The trace whose content is in the body; null: of none. */
  readonly traceId: TraceId | null
  readonly type: DeliveredEventType
  /** Milliseconds; also when its deliveries are due. */
  readonly createdAt: number
  readonly body: Uint8Array
  readonly deliveries: readonly { readonly id: DeliveryId; readonly webhookId: WebhookId }[]
}

/** Where events become deliveries. Errors as in DeliveryQueue. */
export interface DeliveryIntake {
  /** Position of the journal through which all events have become deliveries; null in a store that was just made. */
  position(): number | null
  /** Writes deliveries and the position in one transaction. What is there already (by id) is left as it is. The position never steps back. */
  add(events: readonly NewEvent[], position: number | null): void
  /** Sets the position wherever it was: the journal is an older copy, and what comes to stand at positions that were dispatched is new. */
  resetPosition(position: number): void
}
