import type { Delivery, DeliveryList } from '@spoor/contract/schemas/delivery'

export interface MergedHead {
  /** The rows shown before, as they are now, without those that left the filter. */
  readonly rows: readonly Delivery[]
  /** What is new above or among them. */
  readonly fresh: readonly Delivery[]
  /** With the new ones; null when there may be more between them and the rows: the list begins anew. */
  readonly withNew: readonly Delivery[] | null
}

/**
 * Brings the first rows of a list, newest first, up to date with what its beginning is now. No row moves until
 * `withNew` is taken.
 */
export function mergeHead(shown: readonly Delivery[], { deliveries: head, next_cursor }: DeliveryList): MergedHead {
  const now = new Map(head.map((delivery) => [delivery.id, delivery]))
  const known = new Set(shown.map(({ id }) => id))
  const oldest = head.at(-1)?.created_at ?? ''
  const isBehindHead = ({ created_at }: Delivery) => next_cursor !== null && created_at <= oldest
  const rows = shown.flatMap((delivery) => now.get(delivery.id) ?? (isBehindHead(delivery) ? [delivery] : []))
  const lastKnown = head.findLastIndex(({ id }) => known.has(id))
  // What follows the last known row is of the next page, unless there was none.
  const upTo = lastKnown === -1 ? head : head.slice(0, lastKnown + 1)
  const fresh = upTo.filter(({ id }) => !known.has(id))
  if (lastKnown === -1 && next_cursor !== null) return { rows, fresh, withNew: null }
  return { rows, fresh, withNew: [...upTo, ...rows.filter(({ id }) => !now.has(id))] }
}
