import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, EventId, ProjectId, TraceId, WebhookId } from '@spoor/contract/ids'

/** An event that at least one subscription wants, with its deliveries. */
export interface NewEvent {
  readonly id: EventId
  readonly projectId: ProjectId
  /** The trace whose content is in the body; null: of none. */
  readonly traceId: TraceId | null
  readonly type: DeliveredEventType
  /** Milliseconds. */
  readonly createdAt: number
  /** When its deliveries are due, milliseconds. Not `createdAt` where a clock that was ahead set that. */
  readonly dueAt: number
  readonly body: Uint8Array
  readonly deliveries: readonly { readonly id: DeliveryId; readonly webhookId: WebhookId }[]
}

/**
 * Where events become deliveries. What is written is durable when the promise resolves, and only then can deliveries be leased: a power loss takes back nothing that was sent.
 * Methods reject with the errors of DeliveryQueue. When the flush failed the write is there all the same, for nobody to lease: the same call repeated, or any later one, makes it durable.
 */
export interface DeliveryIntake {
  /** Position of the journal through which all events have become deliveries, durably; null in a store that was never given one. */
  position(): Promise<number | null>
  /** Writes deliveries and the position in one transaction. What is there already (by id) is left as it is. The position never steps back. */
  add(events: readonly NewEvent[], position: number | null): Promise<void>
  /** Sets the position wherever it was: a new store gets its first one, and one whose journal is an older copy goes on where that ends. */
  setPosition(position: number): Promise<void>
}
