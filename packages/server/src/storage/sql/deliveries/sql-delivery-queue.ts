import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DeliveryQueue,
  LaneHealth,
  LeasedDeliveries,
  TimesCursor,
} from '../../../ports/webhooks/delivery-queue.ts'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { correctedTimes } from '../../../webhooks/rules/retry-schedule.ts'
import { runParts } from '../kit/list-statement.ts'
import { all, first, type BoundStatement, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { statusCode, typeOf } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import type { DurableState } from './durable-state.ts'
import { FinishedWork, type LeasedFinish } from './finished-work.ts'
import { type LeasedRow, type Leasing, queueStatementsOn } from './queue-statements.ts'

const HEALTHY: LaneHealth = { failingSince: null, failuresInARow: 0 }
const UNBOUNDED = Number.MAX_SAFE_INTEGER

export interface DeliveryQueueOptions {
  readonly box: SecretBox
  /** Whose leases these are. A process MUST NOT have the name of an earlier one whose leases were not ended. */
  readonly node: string
  /** Most deliveries of one subscription that are leased at once, at all nodes together; null: any number. */
  readonly mostLeased: number | null
  /** Called before deliveries are leased until this time; null: the lease of the node does not end. */
  readonly holdNode: ((until: number) => Promise<void>) | null
  /** Null: commits of the database are durable. */
  readonly durable: DurableState | null
}

/** What a leased delivery is called in the store. */
interface Lease {
  readonly place: number
  readonly number: number
}

/**
 * Pending deliveries. A lease is in the delivery's row: it has a number, names its node, and ends at its time or with
 * the lease of its node. The numbers of the leases of this queue are beside the objects that `lease` returned, so that
 * a result says which lease it is of.
 */
export class SqlDeliveryQueue extends storeOn(queueStatementsOn) implements DeliveryQueue {
  readonly #options: DeliveryQueueOptions
  readonly #finished: FinishedWork
  readonly #leases = new WeakMap<DueDelivery, Lease>()
  /** Places of leased deliveries. */
  readonly #places = new Map<DeliveryId, number>()

  /** @param database with `readCommitted` transactions if it is PostgreSQL */
  constructor(database: SqlDatabase<DeliveryTables>, options: DeliveryQueueOptions) {
    super(database)
    this.#options = options
    this.#finished = new FinishedWork(this.sql, options)
  }

  async dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]> {
    const page = { now, after: after === null ? new Uint8Array() : idToBytes(after), limit, through: this.#through }
    const rows = await this.database.read(this.sql.dueWebhooks(page))
    return rows.map((row) => idFromBytes('wh', row.webhook_id))
  }

  async nextDueAt(): Promise<number | null> {
    const [next] = await this.database.read(this.sql.nextDue({ through: this.#through }))
    return next?.due_at ?? null
  }

  async lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  ): Promise<LeasedDeliveries> {
    return this.#lease(webhookId, { now, until: leaseUntil, limit, maxBytes }, this.sql.leaseDue)
  }

  async leaseOne(
    webhookId: WebhookId,
    id: DeliveryId,
    now: number,
    leaseUntil: number,
  ): Promise<DueDelivery | undefined> {
    const one = { now, until: leaseUntil, limit: 1, maxBytes: UNBOUNDED }
    const leaseIt = (leasing: Leasing) => this.sql.leaseOne({ ...leasing, id: idToBytes(id) })
    return (await this.#lease(webhookId, one, leaseIt)).deliveries[0]
  }

  async release(ids: readonly DeliveryId[]): Promise<void> {
    const places = ids.flatMap((id) => this.#places.get(id) ?? [])
    if (places.length === 0) return
    await this.#run(...this.sql.release(places, { node: this.#options.node }))
    for (const id of ids) this.#places.delete(id)
  }

  async finish(finished: readonly FinishedAttempt[]): Promise<void> {
    if (finished.length === 0) return
    const leased = finished.map((one): LeasedFinish => {
      const lease = this.#leases.get(one.delivery)
      if (lease === undefined) throw new Error('a delivery was finished that this queue did not lease')
      return { place: lease.place, lease: lease.number, ...one }
    })
    await this.database.write(() => this.#finished.store(leased))
    for (const { delivery } of finished) this.#places.delete(delivery.id)
  }

  async settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    const reason = after.status === 'failed' ? after.reason : null
    const { node } = this.#options
    await this.#run(this.sql.settle({ id: idToBytes(id), node, status: statusCode(after.status), reason, now }))
    this.#places.delete(id)
  }

  async health(webhookId: WebhookId): Promise<LaneHealth> {
    const [row] = await this.database.read(this.sql.healthOf({ webhookId: idToBytes(webhookId) }))
    if (row === undefined) return HEALTHY
    return { failingSince: row.failing_since, failuresInARow: row.failures_in_a_row }
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    await this.#run(this.sql.forgetFailures({ webhookId: idToBytes(webhookId) }))
  }

  expire(startedBefore: number, now: number, limit: number): Promise<number> {
    return this.#run(this.sql.expire({ startedBefore, now, limit }))
  }

  async correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null> {
    const { startedAt, place } = after ?? { startedAt: -1, place: -1 }
    const rows = await this.database.read(this.sql.readTimes({ startedAt, place, limit, now }))
    const wrong = rows.flatMap((row) => {
      const schedule = { startedAt: row.schedule_started_at, step: row.step, stepDueAt: row.step_due_at }
      const times = row.free ? correctedTimes({ nextAttemptAt: row.due_at, schedule }, now) : null
      if (times === null) return []
      const { nextAttemptAt: dueAt, schedule: corrected } = times
      return [{ place: row.place, foundDueAt: row.due_at, now, dueAt, ...corrected }]
    })
    const changes = wrong.map((times) => this.sql.setTimes(times))
    // Nodes that changed many at once would wait for each other in a circle.
    if (this.database.dialect === 'sqlite') await this.#run(...changes)
    else for (const one of changes) await this.#run(one)
    const last = rows.at(-1)
    return last === undefined || rows.length < limit ? null : { startedAt: last.schedule_started_at, place: last.place }
  }

  cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    return this.#run(this.sql.cancel({ webhookId: idToBytes(webhookId), now, limit }))
  }

  async pendingCount(): Promise<number> {
    return (await this.database.read(this.sql.countPending({})))[0]?.count ?? 0
  }

  /** The last place that may be leased. */
  get #through(): number {
    return this.#options.durable?.place ?? UNBOUNDED
  }

  async #lease(
    webhookId: WebhookId,
    bounds: Pick<Leasing, 'now' | 'until' | 'limit' | 'maxBytes'>,
    leaseThem: (leasing: Leasing) => BoundStatement<LeasedRow>,
  ): Promise<LeasedDeliveries> {
    await this.#options.holdNode?.(bounds.until)
    const { rows, room } = await this.database.write(() => this.#leaseRows(idToBytes(webhookId), bounds, leaseThem))
    const ordered = rows.toSorted((a, b) => a.due_at - b.due_at || a.place - b.place)
    const deliveries = ordered.map((row) => this.#keep(webhookId, row))
    return { deliveries, isCapped: rows.length < bounds.limit && rows.length >= room }
  }

  /** `room`: how many the subscription could have leased. */
  *#leaseRows(
    webhookId: Uint8Array,
    bounds: Pick<Leasing, 'now' | 'until' | 'limit' | 'maxBytes'>,
    leaseThem: (leasing: Leasing) => BoundStatement<LeasedRow>,
  ): Work<{ readonly rows: readonly LeasedRow[]; readonly room: number }> {
    const { node, mostLeased } = this.#options
    const locked = yield* first(this.sql.lockLane({ webhookId }))
    if (locked === undefined) return { rows: [], room: Infinity }
    const { lane } = locked
    let room = Infinity
    if (mostLeased !== null) {
      const held = yield* first(this.sql.countLeased({ lane, now: bounds.now }))
      room = Math.max(0, mostLeased - (held?.count ?? 0))
    }
    const limit = Math.min(bounds.limit, room)
    return { rows: yield* all(leaseThem({ ...bounds, lane, node, limit, through: this.#through })), room }
  }

  #keep(webhookId: WebhookId, row: LeasedRow): DueDelivery {
    const delivery = {
      id: idFromBytes('dlv', row.id),
      webhookId,
      eventId: idFromBytes('evt', row.event_id),
      eventType: typeOf(row.type),
      body: row.body,
      attempts: row.attempts,
      schedule: { startedAt: row.schedule_started_at, step: row.step, stepDueAt: row.step_due_at },
    }
    this.#leases.set(delivery, { place: row.place, number: row.leases })
    this.#places.set(delivery.id, row.place)
    return delivery
  }

  /** Returns how many rows changed. */
  #run(...statements: readonly BoundStatement[]): Promise<number> {
    return this.database.write(() => runParts(statements))
  }
}
