import type { WebhookId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { DeliveryIntake, NewEvent } from '../../../ports/webhooks/delivery-intake.ts'
import { typeCode } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import { Places } from './places.ts'

/** What a transaction added, to update memory after the commit. */
interface Added {
  readonly newLanes: Map<WebhookId, number>
  /** Webhooks that got deliveries. */
  readonly webhookIds: Set<WebhookId>
  deliveries: number
  lastPlace: number
  leadMs: number
}

export class SqliteDeliveryIntake implements DeliveryIntake {
  readonly #tables: DeliveryTables
  /** Webhooks with deliveries that are not flushed yet, and the last place of those. */
  readonly #notDurable = new Map<WebhookId, number>()

  constructor(tables: DeliveryTables) {
    this.#tables = tables
  }

  async position(): Promise<number | null> {
    return this.#tables.position
  }

  async add(events: readonly NewEvent[], position: number | null): Promise<void> {
    const tables = this.#tables
    const added = tables.write(() => {
      const changes = this.#insert(events)
      if (position !== null) tables.sql.setPosition.run(position)
      return changes
    })
    tables.places.took(added.lastPlace, added.leadMs)
    tables.pending += added.deliveries
    for (const [webhookId, number] of added.newLanes) tables.lanes.add(number, webhookId)
    for (const webhookId of added.webhookIds) this.#notDurable.set(webhookId, added.lastPlace)
    await tables.flush()
    if (position !== null) tables.position = Math.max(tables.position ?? 0, position)
    this.#becameDurable(added.lastPlace)
  }

  async setPosition(position: number): Promise<void> {
    const tables = this.#tables
    tables.write(() => tables.sql.resetPosition.run(position))
    await tables.flush()
    tables.position = position
  }

  /** Includes deliveries of an earlier transaction whose flush failed. */
  #becameDurable(place: number): void {
    const tables = this.#tables
    tables.durablePlace = Math.max(tables.durablePlace, place)
    for (const [webhookId, last] of this.#notDurable) {
      const lane = tables.lanes.find(webhookId)
      if (lane !== undefined) tables.lanes.invalidate(lane)
      if (last <= place) this.#notDurable.delete(webhookId)
    }
  }

  #insert(events: readonly NewEvent[]): Added {
    const { sql, places } = this.#tables
    const { last: lastPlace, leadMs } = places
    const added: Added = { newLanes: new Map(), webhookIds: new Set(), deliveries: 0, lastPlace, leadMs }
    for (const event of events) if (event.deliveries.length > 0) this.#insertEvent(event, added)
    if (added.leadMs > leadMs) sql.setPlaceLead.run(added.leadMs)
    return added
  }

  #insertEvent({ id, projectId, traceId, type, createdAt, dueAt, body, deliveries }: NewEvent, added: Added): void {
    const { sql } = this.#tables
    const eventId = idToBytes(id)
    const code = typeCode(type)
    const { changes, lastInsertRowid } = sql.insertEvent.run(
      eventId,
      idToBytes(projectId),
      code,
      createdAt,
      0,
      body,
      traceId,
    )
    const event = Number(changes === 0 ? sql.findEvent.get(eventId)?.['event'] : lastInsertRowid)
    let inserted = 0
    for (const delivery of deliveries) {
      const place = Places.next(added.lastPlace, createdAt)
      const lane = this.#laneOf(delivery.webhookId, added)
      const made = sql.insertDelivery.run(place, idToBytes(delivery.id), lane, event, code, createdAt, dueAt, dueAt)
      if (made.changes === 0) continue
      inserted += 1
      added.lastPlace = place
      added.leadMs = Math.max(added.leadMs, Places.leadOf(place, createdAt))
      added.webhookIds.add(delivery.webhookId)
    }
    added.deliveries += inserted
    if (inserted > 0) sql.addToEvent.run(inserted, event)
    else sql.deleteBareEvent.run(event)
  }

  #laneOf(webhookId: WebhookId, { newLanes }: Added): number {
    const known = this.#tables.lanes.find(webhookId)?.number ?? newLanes.get(webhookId)
    if (known !== undefined) return known
    const number = Number(this.#tables.sql.insertLane.run(idToBytes(webhookId)).lastInsertRowid)
    newLanes.set(webhookId, number)
    return number
  }
}
