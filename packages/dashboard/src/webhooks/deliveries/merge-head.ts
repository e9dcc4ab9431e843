import type { Delivery, DeliveryList } from '@spoor/contract/schemas/delivery'

export interface MergedHead {
  /** The shown rows with their current values, without those that left the filter. */
  readonly rows: readonly Delivery[]
  /** New rows above or among them. */
  readonly fresh: readonly Delivery[]
  /** Including the new rows; null if some may be missing in between, so that the list must restart. */
  readonly withNew: readonly Delivery[] | null
}

/**
 * Updates the first rows of a list, newest first, from its current first page. No row moves until `withNew` is used.
 */
export function mergeHead(shown: readonly Delivery[], { deliveries: head, next_cursor }: DeliveryList): MergedHead {
  const now = new Map(head.map((delivery) => [delivery.id, delivery]))
  const known = new Set(shown.map(({ id }) => id))
  const oldest = head.at(-1)?.created_at ?? ''
  const isBeyondHead = ({ created_at }: Delivery) => next_cursor !== null && created_at <= oldest
  const rows = shown.flatMap((delivery) => now.get(delivery.id) ?? (isBeyondHead(delivery) ? [delivery] : []))
  const lastKnown = head.findLastIndex(({ id }) => known.has(id))
  // Rows after the last known one belong to the next page, unless none is known.
  const upTo = lastKnown === -1 ? head : head.slice(0, lastKnown + 1)
  const fresh = upTo.filter(({ id }) => !known.has(id))
  if (lastKnown === -1 && next_cursor !== null) return { rows, fresh, withNew: null }
  return { rows, fresh, withNew: [...upTo, ...rows.filter(({ id }) => !now.has(id))] }
}
