import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DeliveryQueue,
  LaneHealth,
  LeasedDeliveries,
  TimesCursor,
} from '../../../ports/webhooks/delivery-queue.ts'
import type { AfterAttempt, DeliverySchedule, DueDelivery, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { correctedTimes } from '../../../webhooks/rules/retry-schedule.ts'
import { run, type Work } from '../kit/sql-database.ts'
import { statusCode, typeOf } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import { FinishedBatch } from './finished-batch.ts'
import type { StoredLane } from './stored-lanes.ts'

const PENDING = statusCode('pending')
const HEALTHY: LaneHealth = { failingSince: null, failuresInARow: 0 }

/**
 * Pending deliveries in SQLite. Each write is one transaction. Leases and due times are in memory, as one process owns
 * the store.
 */
export class SqliteDeliveryQueue implements DeliveryQueue {
  readonly #tables: DeliveryTables

  constructor(tables: DeliveryTables) {
    this.#tables = tables
  }

  async dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]> {
    const { leases, lanes } = this.#tables
    leases.sweep(now)
    return lanes.due(now, after, limit)
  }

  async nextDueAt(): Promise<number | null> {
    return this.#tables.lanes.nextDueAt()
  }

  async lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  ): Promise<LeasedDeliveries> {
    const { leases, lanes } = this.#tables
    leases.sweep(now)
    const lane = lanes.find(webhookId)
    if (lane === undefined) return { deliveries: [], isCapped: false }
    // One more than can be leased: it shows when the next is due.
    const free = this.#freeOnes(lane, limit + 1)
    const due = free.filter(({ dueAt }) => dueAt <= now).slice(0, limit)
    const taken = this.#readDue(lane, due, maxBytes)
    for (const [index, { id }] of taken.entries()) {
      leases.add({ id, place: free[index]?.place ?? 0, lane, until: leaseUntil })
    }
    lanes.setNextDue(lane, free[taken.length]?.dueAt ?? null)
    return { deliveries: taken, isCapped: false }
  }

  async leaseOne(
    webhookId: WebhookId,
    id: DeliveryId,
    now: number,
    leaseUntil: number,
  ): Promise<DueDelivery | undefined> {
    const { sql, leases, lanes, durablePlace } = this.#tables
    leases.sweep(now)
    const lane = lanes.find(webhookId)
    if (lane === undefined || leases.find(id) !== undefined) return undefined
    const found = this.#tables.first(sql.findPlace({ id: idToBytes(id) }))
    const isFree = found?.lane === lane.number && found.status === PENDING && found.place <= durablePlace
    if (!isFree) return undefined
    const [taken] = this.#readDue(lane, [found], Infinity)
    leases.add({ id, place: found.place, lane, until: leaseUntil })
    lanes.invalidate(lane)
    return taken
  }

  async release(ids: readonly DeliveryId[]): Promise<void> {
    const { leases } = this.#tables
    for (const id of ids) {
      const lease = leases.find(id)
      if (lease !== undefined) leases.release(lease)
    }
  }

  async finish(finished: readonly FinishedAttempt[]): Promise<void> {
    const tables = this.#tables
    if (finished.length === 0) return
    const batch = tables.write(function* (): Work<FinishedBatch> {
      const changes = new FinishedBatch(tables)
      for (const one of finished) yield* changes.apply(one)
      yield* changes.writeHealth()
      return changes
    })
    batch.updateMemory()
    for (const { delivery } of finished) this.#endLease(delivery.id)
  }

  async settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    const { sql, lanes, leases } = this.#tables
    const lease = leases.find(id)
    if (lease !== undefined) {
      this.#giveUp([lease], after, now)
      leases.end(lease)
      return
    }
    const found = this.#tables.first(sql.findPlace({ id: idToBytes(id) }))
    if (found !== undefined) this.#giveUp([{ place: found.place, lane: lanes.ofNumber(found.lane) }], after, now)
  }

  async health(webhookId: WebhookId): Promise<LaneHealth> {
    return this.#tables.lanes.find(webhookId)?.health ?? HEALTHY
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    const { sql, lanes } = this.#tables
    const lane = lanes.find(webhookId)
    if (lane === undefined || lane.health.failuresInARow === 0) return
    this.#tables.write(() => run(sql.setHealth({ lane: lane.number, ...HEALTHY })))
    lane.health = HEALTHY
  }

  async expire(startedBefore: number, now: number, limit: number): Promise<number> {
    const { sql, lanes, leases } = this.#tables
    const rows = this.#tables.all(sql.triedBefore({ startedBefore, limit: limit + leases.size }))
    const found = rows
      .map(({ place, lane }) => ({ place, lane: lanes.ofNumber(lane) }))
      .filter(({ place, lane }) => !lane.leased.has(place))
    return this.#giveUp(found.slice(0, limit), { status: 'failed', reason: 'expired' }, now)
  }

  async correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null> {
    const { sql, lanes } = this.#tables
    const { startedAt, place } = after ?? { startedAt: -1, place: -1 }
    const rows = this.#tables.all(sql.readTimes({ startedAt, place, limit })).map(toTimes)
    const wrong = rows.flatMap((row) => {
      const lane = lanes.ofNumber(row.lane)
      const times = lane.leased.has(row.place) ? null : correctedTimes(row, now)
      return times === null ? [] : [{ place: row.place, lane, ...times }]
    })
    if (wrong.length > 0) {
      this.#tables.write(function* (): Work<void> {
        for (const { place: at, nextAttemptAt: dueAt, schedule } of wrong) {
          yield* run(sql.setTimes({ place: at, dueAt, startedAt: schedule.startedAt, stepDueAt: schedule.stepDueAt }))
        }
      })
    }
    for (const { lane } of wrong) lanes.invalidate(lane)
    const last = rows.at(-1)
    return last === undefined || rows.length < limit ? null : { startedAt: last.schedule.startedAt, place: last.place }
  }

  async cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    const lane = this.#tables.lanes.find(webhookId)
    if (lane === undefined) return 0
    const page = { lane: lane.number, throughPlace: Number.MAX_SAFE_INTEGER, limit }
    const found = this.#tables.all(this.#tables.sql.firstPending(page)).map(({ place }) => ({ place, lane }))
    return this.#giveUp(found, { status: 'cancelled' }, now)
  }

  async pendingCount(): Promise<number> {
    return this.#tables.pending
  }

  #freeOnes(lane: StoredLane, limit: number): { readonly place: number; readonly dueAt: number }[] {
    const { sql, durablePlace } = this.#tables
    const page = { lane: lane.number, throughPlace: durablePlace, limit: limit + lane.leased.size }
    return this.#tables
      .tuples(sql.firstPending(page))
      .map(([place, dueAt]) => ({ place: place as number, dueAt: dueAt as number }))
      .filter(({ place }) => !lane.leased.has(place))
      .slice(0, limit)
  }

  #readDue({ webhookId }: StoredLane, due: readonly { readonly place: number }[], maxBytes: number): DueDelivery[] {
    const taken: DueDelivery[] = []
    let bytes = 0
    for (const { place } of due) {
      const row = this.#tables.firstTuple(this.#tables.sql.readDue({ place }))
      if (row === undefined) throw new Error('a delivery has lost its event')
      const [id, type, attempts, startedAt, step, stepDueAt, eventId, body] = row
      bytes += (body as Uint8Array).length
      if (taken.length > 0 && bytes > maxBytes) break
      taken.push({
        id: idFromBytes('dlv', id as Uint8Array),
        webhookId,
        eventId: idFromBytes('evt', eventId as Uint8Array),
        eventType: typeOf(type as number),
        body: body as Uint8Array,
        attempts: attempts as number,
        schedule: { startedAt: startedAt as number, step: step as number, stepDueAt: stepDueAt as number | null },
      })
    }
    return taken
  }

  /** Settles pending deliveries without an attempt. Returns how many. */
  #giveUp(
    deliveries: readonly { readonly place: number; readonly lane: StoredLane }[],
    after: Exclude<AfterAttempt, { status: 'pending' }>,
    now: number,
  ): number {
    if (deliveries.length === 0) return 0
    const { sql, lanes } = this.#tables
    const reason = after.status === 'failed' ? after.reason : null
    const status = statusCode(after.status)
    const count = this.#tables.write(function* (): Work<number> {
      let settled = 0
      for (const { place } of deliveries) settled += yield* run(sql.settle({ place, status, reason, finishedAt: now }))
      return settled
    })
    this.#tables.pending -= count
    for (const { lane } of deliveries) lanes.invalidate(lane)
    return count
  }

  #endLease(id: DeliveryId): void {
    const lease = this.#tables.leases.find(id)
    if (lease !== undefined) this.#tables.leases.end(lease)
  }
}

interface TimesRow {
  readonly place: number
  readonly lane: number
  readonly due_at: number | null
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
}

function toTimes(row: TimesRow) {
  const schedule: DeliverySchedule = {
    startedAt: row.schedule_started_at,
    step: row.step,
    stepDueAt: row.step_due_at,
  }
  // A pending delivery has a due time.
  return { place: row.place, lane: row.lane, nextAttemptAt: row.due_at as number, schedule }
}
