/** A request that a receiver got: what its body said, and how it came. */
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
  /** When it was whole, milliseconds. */
  readonly at: number
  /** SHA-256 of the body. */
  readonly bodyHash: string
  readonly bytes: number
  /** The header that did not verify. */
  readonly problem: string | null
}
