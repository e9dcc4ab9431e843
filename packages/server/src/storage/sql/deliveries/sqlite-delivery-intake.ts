import type { WebhookId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { DeliveryIntake, NewEvent } from '../../../ports/webhooks/delivery-intake.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
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
    const added = tables.write(() => this.#insert(events, position))
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
    tables.write(() => run(tables.sql.setPosition({ position })))
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

  *#insert(events: readonly NewEvent[], position: number | null): Work<Added> {
    const { sql, places } = this.#tables
    const { last: lastPlace, leadMs } = places
    const added: Added = { newLanes: new Map(), webhookIds: new Set(), deliveries: 0, lastPlace, leadMs }
    for (const event of events) if (event.deliveries.length > 0) yield* this.#insertEvent(event, added)
    if (added.leadMs > leadMs) yield* run(sql.setPlaceLead({ leadMs: added.leadMs }))
    if (position !== null) yield* run(sql.raisePosition({ position }))
    return added
  }

  *#insertEvent(event: NewEvent, added: Added): Work<void> {
    const { sql } = this.#tables
    const { createdAt, dueAt } = event
    const type = typeCode(event.type)
    const number = yield* this.#numberOf(event, type)
    let count = 0
    for (const { id, webhookId } of event.deliveries) {
      const place = Places.next(added.lastPlace, createdAt)
      const lane = yield* this.#laneOf(webhookId, added)
      const row = { place, id: idToBytes(id), lane, event: number, type, createdAt, dueAt }
      if ((yield* run(sql.insertDelivery(row))) === 0) continue
      count += 1
      added.lastPlace = place
      added.leadMs = Math.max(added.leadMs, Places.leadOf(place, createdAt))
      added.webhookIds.add(webhookId)
    }
    added.deliveries += count
    if (count > 0) yield* run(sql.addToEvent({ event: number, count }))
    else yield* run(sql.deleteBareEvent({ event: number }))
  }

  /** The number of the event's row, which is inserted if it does not exist. */
  *#numberOf({ id, projectId, traceId, createdAt, body }: NewEvent, type: number): Work<number> {
    const { sql } = this.#tables
    const eventId = idToBytes(id)
    const row = { id: eventId, projectId: idToBytes(projectId), type, createdAt, body, traceId }
    const stored = (yield* first(sql.insertEvent(row))) ?? (yield* first(sql.findEvent({ id: eventId })))
    return stored!.event
  }

  *#laneOf(webhookId: WebhookId, { newLanes }: Added): Work<number> {
    const known = this.#tables.lanes.find(webhookId)?.number ?? newLanes.get(webhookId)
    if (known !== undefined) return known
    const inserted = yield* first(this.#tables.sql.insertLane({ webhookId: idToBytes(webhookId) }))
    newLanes.set(webhookId, inserted!.lane)
    return inserted!.lane
  }
}
