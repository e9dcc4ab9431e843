import type { EventId } from '@spoor/contract/ids'

interface SignRequest {
  readonly eventId: EventId
  /** Milliseconds; the signed timestamp is in whole seconds. */
  readonly attemptAt: number
  readonly body: Uint8Array
  /** The newest first. */
  readonly secrets: readonly string[]
}

/** Headers that prove where a delivery comes from: `x-service-signature` (newest secret) and the three of Standard Webhooks (all secrets). */
export type SignDelivery = (request: SignRequest) => Readonly<Record<string, string>>
