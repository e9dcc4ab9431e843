import type { DeliveryId, TraceId, WebhookId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DeliveryDetail,
  DeliveryLog,
  DeliveryQuery,
  PlacedDelivery,
} from '../../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../../ports/webhooks/delivery.ts'
import { statusCode, typeCode } from './delivery-codes.ts'
import { toAttempt, toDelivery } from './delivery-row.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import { PlaceQuery } from './place-query.ts'

const PENDING = statusCode('pending')
const FAILED = statusCode('failed')
/** Pages returned to the file system at once: one megabyte. */
const SHRINK_PAGES = 256
/** Pages are returned only if more than one in this many is free: new deliveries reuse the others. */
const FREE_SHARE = 4

export class SqliteDeliveryLog implements DeliveryLog {
  readonly #tables: DeliveryTables
  readonly #places: PlaceQuery

  constructor(tables: DeliveryTables) {
    this.#tables = tables
    this.#places = new PlaceQuery(tables)
  }

  async list(query: DeliveryQuery): Promise<readonly PlacedDelivery[]> {
    const { webhookId, eventType, status, startTime, endTime, after, limit } = query
    const { sql, lanes, places } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined) return []
    return this.#tables.read(() => {
      const found = this.#places.find({
        lane: lane.number,
        status: status === null ? null : statusCode(status),
        type: eventType === null ? null : typeCode(eventType),
        fromPlace: places.from(startTime),
        beforePlace: Math.min(after ?? Number.MAX_SAFE_INTEGER, places.before(endTime)),
        startTime: startTime ?? 0,
        endTime: endTime ?? Number.MAX_SAFE_INTEGER,
        order: 'DESC',
        limit,
      })
      return found.flatMap((place) => {
        const row = sql.readRow.get(place)
        return row === undefined ? [] : [toDelivery(row, webhookId)]
      })
    })
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    return this.#tables.read(() => {
      const row = this.#findRow(webhookId, id)
      if (row === undefined) return undefined
      const delivery = toDelivery(row, webhookId)
      const attemptList = this.#tables.sql.readAttempts.all(delivery.place).map(toAttempt)
      return { ...withoutPlace(delivery), body: Buffer.from(row['body'] as Uint8Array).toString('utf8'), attemptList }
    })
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    const row = this.#tables.read(() => this.#findRow(webhookId, id))
    if (row === undefined) return undefined
    const { place, status } = toDelivery(row, webhookId)
    if (this.#tables.leases.find(id) === undefined)
      await this.#restart(webhookId, [{ place, status: statusCode(status) }], now)
    return this.#tables.read(() => {
      const changed = this.#tables.sql.readRow.get(place)
      return changed === undefined ? undefined : withoutPlace(toDelivery(changed, webhookId))
    })
  }

  async redeliverFailed(
    webhookId: WebhookId,
    since: number,
    now: number,
    after: number | null,
    limit: number,
  ): Promise<{ readonly count: number; readonly after: number | null }> {
    const { lanes, places } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined) return { count: 0, after: null }
    const found = this.#tables.read(() =>
      this.#places.find({
        lane: lane.number,
        status: FAILED,
        type: null,
        fromPlace: Math.max(places.from(since), after === null ? 0 : after + 1),
        beforePlace: Number.MAX_SAFE_INTEGER,
        startTime: since,
        endTime: Number.MAX_SAFE_INTEGER,
        order: 'ASC',
        limit,
      }),
    )
    const free = found.filter((place) => !lane.leased.has(place))
    const count = await this.#restart(
      webhookId,
      free.map((place) => ({ place, status: FAILED })),
      now,
    )
    return { count, after: found.length < limit ? null : (found.at(-1) ?? null) }
  }

  async prune(finishedBefore: number, limit: number): Promise<number> {
    const rows = this.#tables.read(() => this.#tables.sql.finishedBefore.all(finishedBefore, limit))
    if (rows.length > 0) this.#tables.write(() => this.#remove(rows))
    this.#shrink()
    return rows.length
  }

  async forgetTraces(traceIds: readonly TraceId[], now: number, limit: number): Promise<number> {
    const { sql, lanes } = this.#tables
    const events = this.#tables.read(() => {
      const found: number[] = []
      for (const traceId of traceIds) {
        if (found.length === limit) break
        found.push(...sql.eventsOfTrace.all(traceId, limit - found.length).map((row) => row['event'] as number))
      }
      return found
    })
    if (events.length === 0) return 0
    const settled = this.#tables.write(() =>
      events.flatMap((event) => {
        sql.forgetEvent.run(event)
        const pending = sql.pendingOfEvent.all(event)
        for (const { place } of pending) sql.settle.run(FAILED, 'trace_deleted', now, place as number)
        return pending.map(({ lane }) => lane as number)
      }),
    )
    this.#tables.pending -= settled.length
    for (const number of new Set(settled)) lanes.invalidate(lanes.ofNumber(number))
    return events.length
  }

  async webhookIds(): Promise<readonly WebhookId[]> {
    return Array.from(this.#tables.lanes.all(), ({ webhookId }) => webhookId)
  }

  async forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number> {
    const { sql, lanes } = this.#tables
    let count = 0
    for (const webhookId of deleted) {
      if (count >= limit) break
      const lane = lanes.find(webhookId)
      if (lane === undefined) continue
      const room = limit - count
      const rows = this.#tables.read(() => sql.ofLane.all(lane.number, room))
      const isEmpty = rows.length < room
      this.#tables.write(() => {
        this.#remove(rows)
        if (isEmpty) sql.deleteLane.run(lane.number)
      })
      this.#tables.pending -= rows.filter((row) => row['status'] === PENDING).length
      if (isEmpty) lanes.remove(lane)
      else lanes.invalidate(lane)
      count += rows.length
    }
    return count
  }

  #findRow(webhookId: WebhookId, id: DeliveryId): Record<string, unknown> | undefined {
    const lane = this.#tables.lanes.find(webhookId)
    const row = this.#tables.sql.findRow.get(idToBytes(id))
    return lane !== undefined && row?.['lane'] === lane.number ? row : undefined
  }

  /** Skips those whose trace was deleted: they have no body. Returns how many were made due. */
  async #restart(
    webhookId: WebhookId,
    deliveries: readonly { readonly place: number; readonly status: number }[],
    now: number,
  ): Promise<number> {
    const { sql, lanes } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined || deliveries.length === 0) return 0
    const restarted = this.#tables.write(() =>
      deliveries.filter(({ place }) => sql.restart.run(now, now, place).changes !== 0),
    )
    this.#tables.pending += restarted.filter(({ status }) => status !== PENDING).length
    lanes.invalidate(lane)
    await this.#tables.flush()
    return restarted.length
  }

  /** Removes deliveries with their attempts, and events without another delivery. Call within a transaction. */
  #remove(rows: readonly Record<string, unknown>[]): void {
    const { sql } = this.#tables
    for (const row of rows) {
      const [place, event] = [row['place'] as number, row['event'] as number]
      sql.deleteAttempts.run(place)
      sql.deleteDelivery.run(place)
      sql.addToEvent.run(-1, event)
      sql.deleteBareEvent.run(event)
    }
  }

  /** Shrinks the file gradually when many pages are free. */
  #shrink(): void {
    const { free, pages } = this.#tables.read(() => this.#tables.freePages())
    if (free * FREE_SHARE < pages || free < SHRINK_PAGES) return
    this.#tables.shrink(SHRINK_PAGES)
  }
}

function withoutPlace({ place: _place, ...delivery }: PlacedDelivery): Delivery {
  return delivery
}
