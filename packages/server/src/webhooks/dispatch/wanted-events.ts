import type { WebhookEventType } from '@spoor/contract/events'
import type { ProjectId } from '@spoor/contract/ids'
import type { JournalEvent, JournalRow } from '../../ports/journal/journal.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

/** An event of the journal that matches a subscription. */
export interface WantedEvent {
  readonly projectId: ProjectId
  readonly position: number
  readonly committedAt: number
  readonly event: JournalEvent
}

export interface WantedBatch {
  readonly events: readonly WantedEvent[]
  /** All events up to here were read. */
  readonly position: number
}

export interface BatchBounds {
  readonly events: number
  /** Events times subscriptions; does not apply to the first event. */
  readonly deliveries: number
}

/** A snapshot of the enabled subscriptions of some projects. */
export class Audience {
  readonly #ofProject: ReadonlyMap<ProjectId, readonly Webhook[]>

  private constructor(ofProject: ReadonlyMap<ProjectId, readonly Webhook[]>) {
    this.#ofProject = ofProject
  }

  /** One lookup for all events of a batch. */
  static async of(
    directory: Pick<WebhookDirectory, 'enabledOf'>,
    events: readonly { readonly projectId: ProjectId }[],
  ): Promise<Audience> {
    return new Audience(await directory.enabledOf([...new Set(events.map(({ projectId }) => projectId))]))
  }

  subscribersOf({ projectId, position, event }: WantedEvent): readonly Webhook[] {
    const webhooks = this.#ofProject.get(projectId) ?? []
    const type: WebhookEventType = event.type
    return webhooks.filter(({ events, sincePosition }) => position > sincePosition && events.includes(type))
  }
}

/**
 * The events after position `after` that match a subscription, as many as the bounds allow. `rows`: in the journal's
 * order.
 */
export function wantedEvents(
  rows: readonly JournalRow[],
  after: number,
  audience: Audience,
  bounds: BatchBounds,
): WantedBatch {
  const events: WantedEvent[] = []
  let deliveries = 0
  let position = after
  for (const { projectId, lastPosition, committedAt, events: ofRow } of rows) {
    const first = lastPosition - ofRow.length + 1
    for (const [index, event] of ofRow.entries()) {
      if (first + index <= after) continue
      const one = { projectId, position: first + index, committedAt, event }
      const count = audience.subscribersOf(one).length
      if (count > 0) {
        const isFull = events.length === bounds.events || deliveries + count > bounds.deliveries
        if (isFull && events.length > 0) return { events, position }
        events.push(one)
        deliveries += count
      }
      position = one.position
    }
  }
  return { events, position }
}
