import { eventOf, NOW } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import type { NewEvent } from '../../../ports/webhooks/delivery-intake.ts'

export const EVENTS_PER_BATCH = 5

/**
 * For tests: the events of a batch, derived from its number. The position after the batch is the number times
 * EVENTS_PER_BATCH.
 */
export function numberedEvents(batch: number): NewEvent[] {
  return Array.from({ length: EVENTS_PER_BATCH }, (_, index) => {
    const number = (batch - 1) * EVENTS_PER_BATCH + index + 1
    return eventOf(number, [1 + (number % 2), 3], { createdAt: NOW + number, body: JSON.stringify({ number }) })
  })
}
