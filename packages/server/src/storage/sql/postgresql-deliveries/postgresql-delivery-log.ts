import type { DeliveryId, TraceId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DeliveryDetail,
  DeliveryLog,
  DeliveryQuery,
  PlacedDelivery,
} from '../../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../../ports/webhooks/delivery.ts'
import { statusCode, typeCode } from '../deliveries/delivery-codes.ts'
import { toAttempt, toDelivery } from '../deliveries/delivery-row.ts'
import type { DeliveryRows } from '../deliveries/delivery-rows.ts'
import { PlaceQuery } from '../deliveries/place-query.ts'
import { Places } from '../deliveries/places.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import { type LogSql, logStatementsOn, type Removed } from './log-statements.ts'
import type { PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'

const FAILED = statusCode('failed')

export class PostgresqlDeliveryLog implements DeliveryLog {
  readonly #database: PostgresqlDatabase<PostgresqlDeliveryTables>
  readonly #sql: LogSql
  readonly #placeQuery: PlaceQuery
  readonly #box: SecretBox

  /** @param database with `readCommitted` transactions */
  constructor(database: PostgresqlDatabase<PostgresqlDeliveryTables>, box: SecretBox) {
    this.#database = database
    this.#box = box
    this.#sql = logStatementsOn(database)
    this.#placeQuery = new PlaceQuery(database.withTables<DeliveryRows>())
  }

  async list(query: DeliveryQuery): Promise<readonly PlacedDelivery[]> {
    const { webhookId, eventType, status, startTime, endTime, after, limit } = query
    const found = await this.#laneOf(webhookId)
    if (found === undefined) return []
    const { lane, places } = found
    const page = this.#placeQuery.find({
      lane,
      status: status === null ? null : statusCode(status),
      type: eventType === null ? null : typeCode(eventType),
      fromPlace: places.from(startTime),
      beforePlace: Math.min(after ?? Number.MAX_SAFE_INTEGER, places.before(endTime)),
      startTime: startTime ?? 0,
      endTime: endTime ?? Number.MAX_SAFE_INTEGER,
      order: 'desc',
      limit,
    })
    const listed = await this.#database.read(page)
    if (listed.length === 0) return []
    const rows = await this.#database.read(this.#sql.readRows({ places: placesOf(listed) }))
    return rows.map((row) => toDelivery(row, webhookId))
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    const row = await this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    const delivery = toDelivery(row, webhookId)
    const attempts = await this.#database.read(this.#sql.readAttempts({ place: delivery.place }))
    const body = Buffer.from(row.body).toString('utf8')
    return {
      ...withoutPlace(delivery),
      body,
      attemptList: attempts.map((attempt) => toAttempt(attempt, id, this.#box)),
    }
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    const row = await this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    const { redeliver } = this.#sql
    await this.#database.write(() => run(redeliver({ place: row.place, now })))
    const changed = await this.#findRow(webhookId, id)
    return changed === undefined ? undefined : withoutPlace(toDelivery(changed, webhookId))
  }

  async redeliverFailed(
    webhookId: WebhookId,
    since: number,
    now: number,
    after: number | null,
    limit: number,
  ): Promise<{ readonly count: number; readonly after: number | null }> {
    const found = await this.#laneOf(webhookId)
    if (found === undefined) return { count: 0, after: null }
    const { lane, places } = found
    const page = this.#placeQuery.find({
      lane,
      status: FAILED,
      type: null,
      fromPlace: Math.max(places.from(since), after === null ? 0 : after + 1),
      beforePlace: Number.MAX_SAFE_INTEGER,
      startTime: since,
      endTime: Number.MAX_SAFE_INTEGER,
      order: 'asc',
      limit,
    })
    const failed = await this.#database.read(page)
    if (failed.length === 0) return { count: 0, after: null }
    const { redeliverFailed } = this.#sql
    const count = await this.#database.write(() => run(redeliverFailed({ places: placesOf(failed), now })))
    return { count, after: failed.length < limit ? null : (failed.at(-1)?.place ?? null) }
  }

  prune(finishedBefore: number, limit: number): Promise<number> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<number> {
      const rows = yield* all(sql.lockFinished({ before: finishedBefore, limit }))
      yield* remove(sql, rows)
      return rows.length
    })
  }

  forgetTraces(traceIds: readonly TraceId[], now: number, limit: number): Promise<number> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<number> {
      if (traceIds.length === 0) return 0
      yield* run(sql.lockState({}))
      const cleared = yield* all(sql.clearEvents({ traceIds: traceIds.join(), limit }))
      if (cleared.length === 0) return 0
      yield* run(sql.failOfEvents({ events: cleared.map(({ event }) => event).join(), now }))
      return cleared.length
    })
  }

  async webhookIds(): Promise<readonly WebhookId[]> {
    const rows = await this.#database.read(this.#sql.webhookIds({}))
    return rows.map((row) => idFromBytes('wh', row.webhook_id))
  }

  async forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number> {
    const sql = this.#sql
    let count = 0
    for (const webhookId of deleted) {
      if (count >= limit) break
      const remaining = limit - count
      count += await this.#database.write(function* (): Work<number> {
        const locked = yield* first(sql.lockLane({ webhookId: idToBytes(webhookId) }))
        if (locked === undefined) return 0
        const rows = yield* all(sql.lockOfLane({ lane: locked.lane, limit: remaining }))
        yield* remove(sql, rows)
        if (rows.length < remaining) yield* run(sql.deleteLane({ lane: locked.lane }))
        return rows.length
      })
    }
    return count
  }

  async #laneOf(webhookId: WebhookId): Promise<{ readonly lane: number; readonly places: Places } | undefined> {
    const [row] = await this.#database.read(this.#sql.findLane({ webhookId: idToBytes(webhookId) }))
    return row === undefined ? undefined : { lane: row.lane, places: new Places(0, row.place_lead) }
  }

  async #findRow(webhookId: WebhookId, id: DeliveryId) {
    const found = this.#sql.findRow({ id: idToBytes(id), webhookId: idToBytes(webhookId) })
    return (await this.#database.read(found))[0]
  }
}

/** Removes locked deliveries with their attempts, and events without another delivery. */
function* remove(sql: LogSql, rows: readonly Removed[]): Work<void> {
  if (rows.length === 0) return
  const places = placesOf(rows)
  const events = [...new Set(rows.map(({ event }) => event))].join()
  yield* run(sql.deleteAttempts({ places }))
  yield* run(sql.deleteDeliveries({ places }))
  // A statement of its own sees what those who held the events until now have added.
  yield* run(sql.lockEvents({ events }))
  yield* run(sql.deleteBareEvents({ events }))
}

function placesOf(rows: readonly { readonly place: number }[]): string {
  return rows.map(({ place }) => place).join()
}

function withoutPlace({ place: _place, ...delivery }: PlacedDelivery): Delivery {
  return delivery
}
