import type { WebhookId } from '@spoor/contract/ids'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import type { BoundStatement } from '../kit/sql-database.ts'
import type { DeliveryStatements } from './delivery-statements.ts'

/** The state of one subscription in memory. */
export interface StoredLane {
  readonly number: number
  readonly webhookId: WebhookId
  /** Equal to the row. */
  health: LaneHealth
  /** Places of its leased deliveries. */
  readonly leased: Set<number>
  /**
   * Due time of the next pending delivery that is durable and not leased; null if there is none, undefined if it must
   * be read.
   */
  nextDueAt: number | null | undefined
}

/** What the lanes read from. */
interface LaneTables {
  readonly sql: Pick<DeliveryStatements, 'readLanes' | 'firstPending'>
  all<Row>(statement: BoundStatement<Row>): readonly Row[]
  tuples(statement: BoundStatement): readonly (readonly unknown[])[]
}

/**
 * The subscriptions that have deliveries, in memory. The queries of each turn of the sender (who has due deliveries,
 * and when the next is due) cost in proportion to subscriptions with pending deliveries, not to deliveries.
 */
export class StoredLanes {
  readonly #tables: LaneTables
  readonly #byWebhook = new Map<WebhookId, StoredLane>()
  readonly #byNumber = new Map<number, StoredLane>()
  /** Lanes that may have pending deliveries that are not leased, in the order of ids. */
  #waiting: StoredLane[] = []
  readonly #stale = new Set<StoredLane>()
  readonly #durablePlace: () => number

  constructor(tables: LaneTables, durablePlace: () => number) {
    this.#tables = tables
    this.#durablePlace = durablePlace
    for (const row of tables.all(tables.sql.readLanes({}))) {
      const lane = this.add(row.lane, idFromBytes('wh', row.webhook_id))
      lane.health = { failingSince: row.failing_since, failuresInARow: row.failures_in_a_row }
      this.invalidate(lane)
    }
  }

  /** A copy. */
  all(): readonly StoredLane[] {
    return [...this.#byWebhook.values()]
  }

  find(webhookId: WebhookId): StoredLane | undefined {
    return this.#byWebhook.get(webhookId)
  }

  ofNumber(number: number): StoredLane {
    const lane = this.#byNumber.get(number)
    if (lane === undefined) throw new Error(`a delivery is of lane ${number}, which does not exist`)
    return lane
  }

  /** Adds a lane whose row is committed. */
  add(number: number, webhookId: WebhookId): StoredLane {
    const health = { failingSince: null, failuresInARow: 0 }
    const lane: StoredLane = { number, webhookId, health, leased: new Set(), nextDueAt: null }
    this.#byWebhook.set(webhookId, lane)
    this.#byNumber.set(number, lane)
    return lane
  }

  remove(lane: StoredLane): void {
    this.#byWebhook.delete(lane.webhookId)
    this.#byNumber.delete(lane.number)
    this.#stale.delete(lane)
    this.#leave(lane)
  }

  /** Reports a new pending delivery that is not leased. */
  offer(lane: StoredLane, dueAt: number): void {
    if (lane.nextDueAt === undefined) return
    this.#set(lane, lane.nextDueAt === null ? dueAt : Math.min(lane.nextDueAt, dueAt))
  }

  /** Sets the due time of the next pending delivery that is not leased. */
  setNextDue(lane: StoredLane, nextDueAt: number | null): void {
    this.#stale.delete(lane)
    this.#set(lane, nextDueAt)
  }

  /** Reports that pending deliveries were removed or are due at other times. */
  invalidate(lane: StoredLane): void {
    if (!this.#exists(lane)) return
    lane.nextDueAt = undefined
    this.#stale.add(lane)
  }

  nextDueAt(): number | null {
    this.#refresh()
    let next: number | null = null
    for (const { nextDueAt } of this.#waiting) {
      if (typeof nextDueAt === 'number' && (next === null || nextDueAt < next)) next = nextDueAt
    }
    return next
  }

  /** See DeliveryQueue.dueWebhooks. */
  due(now: number, after: WebhookId | null, limit: number): WebhookId[] {
    this.#refresh()
    const found: WebhookId[] = []
    const start = after === null ? 0 : this.#firstAfter(after)
    for (let step = 0; step < this.#waiting.length && found.length < limit; step++) {
      const lane = this.#waiting[(start + step) % this.#waiting.length]
      if (typeof lane?.nextDueAt === 'number' && lane.nextDueAt <= now) found.push(lane.webhookId)
    }
    return found
  }

  #refresh(): void {
    for (const lane of this.#stale) {
      const page = { lane: lane.number, throughPlace: this.#durablePlace(), limit: lane.leased.size + 1 }
      const rows = this.#tables.tuples(this.#tables.sql.firstPending(page))
      const next = rows.find(([place]) => !lane.leased.has(place as number))
      this.setNextDue(lane, next === undefined ? null : (next[1] as number))
    }
  }

  /** A lease can outlive its lane. */
  #exists(lane: StoredLane): boolean {
    return this.#byNumber.get(lane.number) === lane
  }

  #set(lane: StoredLane, nextDueAt: number | null): void {
    if (!this.#exists(lane)) return
    lane.nextDueAt = nextDueAt
    if (nextDueAt === null) {
      this.#leave(lane)
      return
    }
    const at = this.#firstFrom(lane.webhookId)
    if (this.#waiting[at] !== lane) this.#waiting.splice(at, 0, lane)
  }

  #leave(lane: StoredLane): void {
    const at = this.#firstFrom(lane.webhookId)
    if (this.#waiting[at] === lane) this.#waiting.splice(at, 1)
  }

  #firstAfter(id: WebhookId): number {
    const at = this.#firstFrom(id)
    return this.#waiting[at]?.webhookId === id ? at + 1 : at
  }

  /** Index of the first whose id is not less. */
  #firstFrom(id: WebhookId): number {
    let low = 0
    let high = this.#waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#waiting[middle]?.webhookId ?? id) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}
