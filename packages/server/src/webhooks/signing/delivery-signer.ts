import type { EventId } from '@spoor/contract/ids'

interface SignRequest {
  readonly eventId: EventId
  /** Milliseconds; the signed timestamp is in whole seconds. */
  readonly attemptAt: number
  readonly body: Uint8Array
  /** Newest first. */
  readonly secrets: readonly string[]
}

/**
 * The headers that prove the sender: `x-service-signature` (newest secret) and the three of Standard Webhooks (all
 * secrets).
 */
export type SignDelivery = (request: SignRequest) => Readonly<Record<string, string>>
