import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, EventId, ProjectId, TraceId, WebhookId } from '@spoor/contract/ids'

/** The trace whose content is in a body, or the project of a body that is made from several traces. */
export type ContentOwner = TraceId | ProjectId

/** An event that matches at least one subscription, with its deliveries. */
export interface NewEvent {
  readonly id: EventId
  readonly projectId: ProjectId
  /** Null: the body has no content of traces. */
  readonly contentOf: ContentOwner | null
  readonly type: DeliveredEventType
  /** Milliseconds. */
  readonly createdAt: number
  /** When its deliveries are due, milliseconds. Earlier than `createdAt` if that was set by a clock that was ahead. */
  readonly dueAt: number
  readonly body: Uint8Array
  readonly deliveries: readonly { readonly id: DeliveryId; readonly webhookId: WebhookId }[]
}

/**
 * Turns events into deliveries. A write is durable when its promise resolves, and only then can its deliveries be
 * leased: a power loss never undoes what was sent. Methods reject with the errors of DeliveryQueue. If a flush fails,
 * the write exists but cannot be leased; repeating the call, or any later call, makes it durable.
 */
export interface DeliveryIntake {
  /** Journal position through which all events are durably deliveries; null if none was ever set. */
  position(): Promise<number | null>
  /**
   * Writes deliveries and the position in one transaction. Existing ids do not change. The position never decreases.
   */
  add(events: readonly NewEvent[], position: number | null): Promise<void>
  /** Sets the position, even to a lower one: for a new store, or if the journal is an older copy. */
  setPosition(position: number): Promise<void>
}
