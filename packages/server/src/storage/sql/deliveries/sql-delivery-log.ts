import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { ContentOwner } from '../../../ports/webhooks/delivery-intake.ts'
import type {
  DeliveryDetail,
  DeliveryLog,
  DeliveryQuery,
  PlacedDelivery,
} from '../../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../../ports/webhooks/delivery.ts'
import { allParts, readParts, runParts } from '../kit/list-statement.ts'
import { all, first, run, type BoundStatement, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { statusCode, typeCode } from './delivery-codes.ts'
import { toAttempt, toDelivery } from './delivery-row.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import type { DurableState } from './durable-state.ts'
import { type LogSql, logStatementsOn, type Removed } from './log-statements.ts'
import { PlaceQuery } from './place-query.ts'
import { Places } from './places.ts'

const FAILED = statusCode('failed')

/** Of a list of traces, those forgotten by one statement. */
const OWNERS_AT_ONCE = 512

export interface DeliveryLogOptions {
  readonly box: SecretBox
  /** Null: commits of the database are durable. */
  readonly durable: DurableState | null
  /** Called after finished deliveries were removed. */
  readonly afterPrune: () => void
}

export class SqlDeliveryLog extends storeOn(logStatementsOn) implements DeliveryLog {
  readonly #options: DeliveryLogOptions
  readonly #placeQuery: PlaceQuery

  /** @param database with `readCommitted` transactions if it is PostgreSQL */
  constructor(database: SqlDatabase<DeliveryTables>, options: DeliveryLogOptions) {
    super(database)
    this.#options = options
    this.#placeQuery = new PlaceQuery(database)
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
    const listed = await this.database.read(page)
    const rows = await readParts(this.database, this.sql.readRows(placesOf(listed), {}))
    return rows.map((row) => toDelivery(row, webhookId))
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    const row = await this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    const delivery = toDelivery(row, webhookId)
    const attempts = await this.database.read(this.sql.readAttempts({ place: delivery.place }))
    const body = Buffer.from(row.body).toString('utf8')
    return {
      ...withoutPlace(delivery),
      body,
      attemptList: attempts.map((attempt) => toAttempt(attempt, id, this.#options.box)),
    }
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    const row = await this.#findRow(webhookId, id)
    if (row === undefined) return undefined
    await this.#restart([this.sql.redeliver({ place: row.place, now })])
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
    const failed = await this.database.read(page)
    if (failed.length === 0) return { count: 0, after: null }
    const count = await this.#restart(this.sql.redeliverFailed(placesOf(failed), { now }))
    return { count, after: failed.length < limit ? null : (failed.at(-1)?.place ?? null) }
  }

  async prune(finishedBefore: number, limit: number): Promise<number> {
    const count = await this.transact(function* (sql): Work<number> {
      const rows = yield* all(sql.lockFinished({ before: finishedBefore, limit }))
      yield* remove(sql, rows)
      return rows.length
    })
    this.#options.afterPrune()
    return count
  }

  forgetContent(of: readonly ContentOwner[], now: number, limit: number): Promise<number> {
    return this.transact(function* (sql): Work<number> {
      const events: number[] = []
      yield* run(sql.lockState({}))
      for (let from = 0; from < of.length && events.length < limit; from += OWNERS_AT_ONCE) {
        const owners = of.slice(from, from + OWNERS_AT_ONCE)
        const some = sql.clearEvents(owners, { limit: limit - events.length, none: new Uint8Array() })
        for (const { event } of yield* allParts(some)) events.push(event)
      }
      yield* runParts(sql.failOfEvents(events, { now }))
      return events.length
    })
  }

  async webhookIds(): Promise<readonly WebhookId[]> {
    const rows = await this.database.read(this.sql.webhookIds({}))
    return rows.map((row) => idFromBytes('wh', row.webhook_id))
  }

  async forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number> {
    let count = 0
    for (const webhookId of deleted) {
      if (count >= limit) break
      const remaining = limit - count
      count += await this.transact(function* (sql): Work<number> {
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

  /** Returns how many are due again. */
  async #restart(statements: readonly BoundStatement[]): Promise<number> {
    const count = await this.database.write(() => runParts(statements))
    await this.#options.durable?.flush()
    return count
  }

  async #laneOf(webhookId: WebhookId): Promise<{ readonly lane: number; readonly places: Places } | undefined> {
    const [row] = await this.database.read(this.sql.findLane({ webhookId: idToBytes(webhookId) }))
    return row === undefined ? undefined : { lane: row.lane, places: new Places(0, row.place_lead) }
  }

  async #findRow(webhookId: WebhookId, id: DeliveryId) {
    const found = this.sql.findRow({ id: idToBytes(id), webhookId: idToBytes(webhookId) })
    return (await this.database.read(found))[0]
  }
}

/** Removes locked deliveries with their attempts, and events without another delivery. */
function* remove(sql: LogSql, rows: readonly Removed[]): Work<void> {
  const places = placesOf(rows)
  const events = [...new Set(rows.map(({ event }) => event))].toSorted((a, b) => a - b)
  yield* runParts(sql.deleteAttempts(places, {}))
  yield* runParts(sql.deleteDeliveries(places, {}))
  // A statement of its own sees what those who held the events until now have added.
  yield* runParts(sql.lockEvents(events, {}))
  yield* runParts(sql.deleteBareEvents(events, {}))
}

function placesOf(rows: readonly { readonly place: number }[]): number[] {
  return rows.map(({ place }) => place)
}

function withoutPlace({ place: _place, ...delivery }: PlacedDelivery): Delivery {
  return delivery
}
