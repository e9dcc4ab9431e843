import { hash } from 'node:crypto'
import type { DeliveryId, EventId, Id, IdPrefix, WebhookId } from '@spoor/contract/ids'
import { idFromBytes } from '../../lib/ids/typeid.ts'

const MAX_TIME = 2 ** 48 - 1

/**
 * The id of the event at a position of the journal. Deterministic, so an event that is dispatched again keeps its id.
 * `committedAt`: milliseconds.
 */
export function eventIdAt(position: number, committedAt: number): EventId {
  return idOf('evt', `spoor event ${position}`, committedAt)
}

/** The id of the delivery of an event or a ping to a subscription. */
export function deliveryIdOf(eventId: EventId, webhookId: WebhookId, createdAt: number): DeliveryId {
  return idOf('dlv', `spoor delivery ${eventId} ${webhookId}`, createdAt)
}

/** A UUIDv7 with bits of SHA-256 in place of random ones. */
function idOf<P extends IdPrefix>(prefix: P, name: string, timeMs: number): Id<P> {
  const bytes = Buffer.alloc(16)
  const digest = hash('sha256', name, 'buffer')
  digest.copy(bytes, 6, 0, 10)
  bytes.writeUIntBE(Math.min(MAX_TIME, Math.max(0, Math.floor(timeMs))), 0, 6)
  bytes[6] = 0x70 | ((digest[0] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((digest[2] ?? 0) & 0x3f)
  return idFromBytes(prefix, bytes)
}
