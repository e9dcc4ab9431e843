import type { DeliveryId, TraceId, WebhookId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DeliveryDetail,
  DeliveryLog,
  DeliveryQuery,
  PlacedDelivery,
} from '../../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../../ports/webhooks/delivery.ts'
import { all, run, type Work } from '../kit/sql-database.ts'
import { statusCode, typeCode } from './delivery-codes.ts'
import { toAttempt, toDelivery } from './delivery-row.ts'
import type { DeliveryStatements } from './delivery-statements.ts'
import type { DeliveryTables } from './delivery-tables.ts'

const PENDING = statusCode('pending')
const FAILED = statusCode('failed')
/** Pages returned to the file system at once: one megabyte. */
const SHRINK_PAGES = 256
/** Pages are returned only if more than one in this many is free: new deliveries reuse the others. */
const FREE_SHARE = 4

export class SqliteDeliveryLog implements DeliveryLog {
  readonly #tables: DeliveryTables

  constructor(tables: DeliveryTables) {
    this.#tables = tables
  }

  async list(query: DeliveryQuery): Promise<readonly PlacedDelivery[]> {
    const { webhookId, eventType, status, startTime, endTime, after, limit } = query
    const { sql, lanes, places, placeQuery } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined) return []
    const page = placeQuery.find({
      lane: lane.number,
      status: status === null ? null : statusCode(status),
      type: eventType === null ? null : typeCode(eventType),
      fromPlace: places.from(startTime),
      beforePlace: Math.min(after ?? Number.MAX_SAFE_INTEGER, places.before(endTime)),
      startTime: startTime ?? 0,
      endTime: endTime ?? Number.MAX_SAFE_INTEGER,
      order: 'desc',
      limit,
    })
    return this.#tables.all(page).flatMap(({ place }) => {
      const row = this.#tables.first(sql.readRow({ place }))
      return row === undefined ? [] : [toDelivery(row, webhookId)]
    })
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    const row = this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    const delivery = toDelivery(row, webhookId)
    const attempts = this.#tables.all(this.#tables.sql.readAttempts({ place: delivery.place }))
    const attemptList = attempts.map((attempt) => toAttempt(attempt, id, this.#tables.box))
    return { ...withoutPlace(delivery), body: Buffer.from(row.body).toString('utf8'), attemptList }
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    const row = this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    const { place, status } = toDelivery(row, webhookId)
    if (this.#tables.leases.find(id) === undefined)
      await this.#restart(webhookId, [{ place, status: statusCode(status) }], now)
    const changed = this.#tables.first(this.#tables.sql.readRow({ place }))
    return changed === undefined ? undefined : withoutPlace(toDelivery(changed, webhookId))
  }

  async redeliverFailed(
    webhookId: WebhookId,
    since: number,
    now: number,
    after: number | null,
    limit: number,
  ): Promise<{ readonly count: number; readonly after: number | null }> {
    const { lanes, places, placeQuery } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined) return { count: 0, after: null }
    const page = placeQuery.find({
      lane: lane.number,
      status: FAILED,
      type: null,
      fromPlace: Math.max(places.from(since), after === null ? 0 : after + 1),
      beforePlace: Number.MAX_SAFE_INTEGER,
      startTime: since,
      endTime: Number.MAX_SAFE_INTEGER,
      order: 'asc',
      limit,
    })
    const found = this.#tables.all(page).map(({ place }) => place)
    const free = found.filter((place) => !lane.leased.has(place))
    const count = await this.#restart(
      webhookId,
      free.map((place) => ({ place, status: FAILED })),
      now,
    )
    return { count, after: found.length < limit ? null : (found.at(-1) ?? null) }
  }

  async prune(finishedBefore: number, limit: number): Promise<number> {
    const rows = this.#tables.all(this.#tables.sql.finishedBefore({ before: finishedBefore, limit }))
    if (rows.length > 0) this.#tables.write(() => remove(this.#tables.sql, rows))
    this.#shrink()
    return rows.length
  }

  async forgetTraces(traceIds: readonly TraceId[], now: number, limit: number): Promise<number> {
    const { sql, lanes } = this.#tables
    const events: number[] = []
    for (const traceId of traceIds) {
      if (events.length === limit) break
      const page = this.#tables.all(sql.eventsOfTrace({ traceId, limit: limit - events.length }))
      for (const { event } of page) events.push(event)
    }
    if (events.length === 0) return 0
    const settled = this.#tables.write(function* (): Work<readonly number[]> {
      const changed: number[] = []
      for (const event of events) {
        yield* run(sql.clearEvent({ event }))
        for (const { place, lane } of yield* all(sql.pendingOfEvent({ event }))) {
          yield* run(sql.settle({ place, status: FAILED, reason: 'trace_deleted', finishedAt: now }))
          changed.push(lane)
        }
      }
      return changed
    })
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
      const remaining = limit - count
      const rows = this.#tables.all(sql.ofLane({ lane: lane.number, limit: remaining }))
      const isEmpty = rows.length < remaining
      this.#tables.write(function* (): Work<void> {
        yield* remove(sql, rows)
        if (isEmpty) yield* run(sql.deleteLane({ lane: lane.number }))
      })
      this.#tables.pending -= rows.filter(({ status }) => status === PENDING).length
      if (isEmpty) lanes.remove(lane)
      else lanes.invalidate(lane)
      count += rows.length
    }
    return count
  }

  #findRow(webhookId: WebhookId, id: DeliveryId) {
    const lane = this.#tables.lanes.find(webhookId)
    const row = this.#tables.first(this.#tables.sql.findRow({ id: idToBytes(id) }))
    return lane !== undefined && row?.lane === lane.number ? row : undefined
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
    const restarted = this.#tables.write(function* (): Work<readonly { readonly status: number }[]> {
      const changed: { readonly status: number }[] = []
      for (const delivery of deliveries) {
        if ((yield* run(sql.restart({ place: delivery.place, now }))) > 0) changed.push(delivery)
      }
      return changed
    })
    this.#tables.pending += restarted.filter(({ status }) => status !== PENDING).length
    lanes.invalidate(lane)
    await this.#tables.flush()
    return restarted.length
  }

  /** Shrinks the file gradually when many pages are free. */
  #shrink(): void {
    const { free, pages } = this.#tables.freePages()
    if (free * FREE_SHARE < pages || free < SHRINK_PAGES) return
    this.#tables.shrink(SHRINK_PAGES)
  }
}

/** Removes deliveries with their attempts, and events without another delivery. */
function* remove(
  sql: DeliveryStatements,
  rows: readonly { readonly place: number; readonly event: number }[],
): Work<void> {
  for (const { place, event } of rows) {
    yield* run(sql.deleteAttempts({ place }))
    yield* run(sql.deleteDelivery({ place }))
    yield* run(sql.addToEvent({ event, count: -1 }))
    yield* run(sql.deleteBareEvent({ event }))
  }
}

function withoutPlace({ place: _place, ...delivery }: PlacedDelivery): Delivery {
  return delivery
}
