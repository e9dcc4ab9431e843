import type { ProjectId } from '@spoor/contract/ids'

/** The fields of an enabled webhook that decide which events it gets. */
export interface Subscribed {
  readonly projectId: ProjectId
  readonly events: readonly string[]
  readonly sincePosition: number
}

/** A mark next to the journal, apart from the delivery store, by which the loss of that store is detected. */
export interface DeliveryMark {
  /** Whether a delivery store has existed. */
  isSet(): Promise<boolean>
  /** Durable when it resolves. MUST NOT be called before the store and its position are durable. */
  set(): Promise<void>
  /** Works before the secrets can be opened. */
  subscribed(): Promise<readonly Subscribed[]>
}
