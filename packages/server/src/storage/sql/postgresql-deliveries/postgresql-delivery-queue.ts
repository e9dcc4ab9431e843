import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type {
  DeliveryQueue,
  LaneHealth,
  LeasedDeliveries,
  TimesCursor,
} from '../../../ports/webhooks/delivery-queue.ts'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { correctedTimes } from '../../../webhooks/rules/retry-schedule.ts'
import { statusCode, typeOf } from '../deliveries/delivery-codes.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { all, first, run, type BoundStatement, type Work } from '../kit/sql-database.ts'
import { FinishedWork, type LeasedFinish } from './finished-work.ts'
import type { PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'
import { type LeasedRow, type Leasing, type QueueSql, queueStatementsOn } from './queue-statements.ts'

const HEALTHY: LaneHealth = { failingSince: null, failuresInARow: 0 }
const UNBOUNDED = Number.MAX_SAFE_INTEGER

export interface PostgresqlDeliveryQueueOptions {
  /** Whose leases these are. No two processes may have the same, one after the other neither. */
  readonly box: SecretBox
  readonly node: string
  readonly clock: Clock
  /** Most deliveries of one subscription that are leased at once, at all nodes together. */
  readonly mostLeased: number
}

/** What a leased delivery is called in the store. */
interface Lease {
  readonly place: number
  readonly number: number
}

/**
 * Pending deliveries of several nodes. A lease is in the delivery's row: it has a number of its own, names its node,
 * and ends at its time or with the lease of its node. The numbers of the leases of this queue are beside the objects
 * that `lease` returned, so that a result says which lease it is of.
 */
export class PostgresqlDeliveryQueue implements DeliveryQueue {
  readonly #database: PostgresqlDatabase<PostgresqlDeliveryTables>
  readonly #options: PostgresqlDeliveryQueueOptions
  readonly #sql: QueueSql
  readonly #finished: FinishedWork
  readonly #leases = new WeakMap<DueDelivery, Lease>()
  /** Places of leased deliveries. */
  readonly #places = new Map<DeliveryId, number>()

  /** @param database with `readCommitted` transactions */
  constructor(database: PostgresqlDatabase<PostgresqlDeliveryTables>, options: PostgresqlDeliveryQueueOptions) {
    this.#database = database
    this.#options = options
    this.#sql = queueStatementsOn(database)
    this.#finished = new FinishedWork(database, this.#sql, options.box)
  }

  async dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]> {
    const page = { now, after: after === null ? new Uint8Array() : idToBytes(after), limit }
    const rows = await this.#database.read(this.#sql.dueWebhooks(page))
    return rows.map((row) => idFromBytes('wh', row.webhook_id))
  }

  async nextDueAt(): Promise<number | null> {
    const [next] = await this.#database.read(this.#sql.nextDue({ now: this.#options.clock.now() }))
    return next?.due_at ?? null
  }

  async lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  ): Promise<LeasedDeliveries> {
    return this.#lease(webhookId, { now, until: leaseUntil, limit, maxBytes }, this.#sql.leaseDue)
  }

  async leaseOne(
    webhookId: WebhookId,
    id: DeliveryId,
    now: number,
    leaseUntil: number,
  ): Promise<DueDelivery | undefined> {
    const one = { now, until: leaseUntil, limit: 1, maxBytes: UNBOUNDED }
    const leaseIt = (leasing: Leasing) => this.#sql.leaseOne({ ...leasing, id: idToBytes(id) })
    return (await this.#lease(webhookId, one, leaseIt)).deliveries[0]
  }

  async release(ids: readonly DeliveryId[]): Promise<void> {
    const places = ids.flatMap((id) => this.#places.get(id) ?? [])
    if (places.length === 0) return
    await this.#run(this.#sql.release({ node: this.#options.node, places: places.join() }))
    for (const id of ids) this.#places.delete(id)
  }

  async finish(finished: readonly FinishedAttempt[]): Promise<void> {
    if (finished.length === 0) return
    const leased = finished.map((one): LeasedFinish => {
      const lease = this.#leases.get(one.delivery)
      if (lease === undefined) throw new Error('a delivery was finished that this queue did not lease')
      return { place: lease.place, lease: lease.number, ...one }
    })
    await this.#database.write(() => this.#finished.store(leased))
    for (const { delivery } of finished) this.#places.delete(delivery.id)
  }

  async settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    const reason = after.status === 'failed' ? after.reason : null
    const { node } = this.#options
    await this.#run(this.#sql.settle({ id: idToBytes(id), node, status: statusCode(after.status), reason, now }))
    this.#places.delete(id)
  }

  async health(webhookId: WebhookId): Promise<LaneHealth> {
    const [row] = await this.#database.read(this.#sql.healthOf({ webhookId: idToBytes(webhookId) }))
    if (row === undefined) return HEALTHY
    return { failingSince: row.failing_since, failuresInARow: row.failures_in_a_row }
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    await this.#run(this.#sql.forgetFailures({ webhookId: idToBytes(webhookId) }))
  }

  expire(startedBefore: number, now: number, limit: number): Promise<number> {
    return this.#run(this.#sql.expire({ startedBefore, now, limit }))
  }

  async correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null> {
    const { startedAt, place } = after ?? { startedAt: -1, place: -1 }
    const rows = await this.#database.read(this.#sql.readTimes({ startedAt, place, limit, now }))
    const wrong = rows.flatMap((row) => {
      const schedule = { startedAt: row.schedule_started_at, step: row.step, stepDueAt: row.step_due_at }
      const times = row.free ? correctedTimes({ nextAttemptAt: row.due_at, schedule }, now) : null
      if (times === null) return []
      const { nextAttemptAt: dueAt, schedule: corrected } = times
      return [{ place: row.place, foundDueAt: row.due_at, now, dueAt, ...corrected }]
    })
    for (const times of wrong) await this.#run(this.#sql.setTimes(times))
    const last = rows.at(-1)
    return last === undefined || rows.length < limit ? null : { startedAt: last.schedule_started_at, place: last.place }
  }

  cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    return this.#run(this.#sql.cancel({ webhookId: idToBytes(webhookId), now, limit }))
  }

  async pendingCount(): Promise<number> {
    return (await this.#database.read(this.#sql.countPending({})))[0]?.count ?? 0
  }

  async #lease(
    webhookId: WebhookId,
    bounds: Pick<Leasing, 'now' | 'until' | 'limit' | 'maxBytes'>,
    leaseThem: (leasing: Leasing) => BoundStatement<LeasedRow>,
  ): Promise<LeasedDeliveries> {
    const { lockLane } = this.#sql
    const { node, mostLeased: most } = this.#options
    const rows = await this.#database.write(function* (): Work<readonly LeasedRow[]> {
      const locked = yield* first(lockLane({ webhookId: idToBytes(webhookId) }))
      return locked === undefined ? [] : yield* all(leaseThem({ lane: locked.lane, node, most, ...bounds }))
    })
    const deliveries = rows.flatMap((row) => (row.place === null ? [] : [this.#keep(webhookId, row, row.place)]))
    const isCapped = deliveries.length < bounds.limit && (rows[0]?.held ?? 0) + deliveries.length >= most
    return { deliveries, isCapped }
  }

  #keep(webhookId: WebhookId, row: LeasedRow, place: number): DueDelivery {
    const delivery = {
      id: idFromBytes('dlv', row.id),
      webhookId,
      eventId: idFromBytes('evt', row.event_id),
      eventType: typeOf(row.type),
      body: row.body,
      attempts: row.attempts,
      schedule: { startedAt: row.schedule_started_at, step: row.step, stepDueAt: row.step_due_at },
    }
    this.#leases.set(delivery, { place, number: row.lease })
    this.#places.set(delivery.id, place)
    return delivery
  }

  #run(statement: BoundStatement): Promise<number> {
    return this.#database.write(() => run(statement))
  }
}
