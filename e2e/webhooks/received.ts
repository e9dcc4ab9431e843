/** A request that a receiver got: fields of its body, and how it was sent. */
export interface Received {
  /** Of the body. */
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown>
  /** Of the header `webhook-id`. */
  readonly eventId: string
  readonly deliveryId: string
  readonly attempt: number
  /** When it was complete, milliseconds. */
  readonly at: number
  /** SHA-256 of the body. */
  readonly bodyHash: string
  readonly bytes: number
  /** The header that did not verify. */
  readonly problem: string | null
}
