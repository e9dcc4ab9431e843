import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import type { Attempt, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import { statusCode } from './delivery-codes.ts'
import { toAttemptRow } from './delivery-row.ts'
import type { DeliveryTables, DeliveryState } from './delivery-tables.ts'
import type { StoredLane } from './stored-lanes.ts'

const PENDING = statusCode('pending')

/** Writes ended attempts in one transaction, then updates the state in memory. */
export class FinishedBatch {
  readonly #tables: DeliveryTables
  readonly #health = new Map<StoredLane, LaneHealth>()
  /** Deliveries that are pending again, with their due times. */
  readonly #again: { readonly lane: StoredLane; readonly dueAt: number }[] = []
  /** Lanes of deliveries without a lease whose due times changed. */
  readonly #stale = new Set<StoredLane>()
  #settled = 0

  constructor(tables: DeliveryTables) {
    this.#tables = tables
  }

  *apply(finished: FinishedAttempt): Work<void> {
    const { delivery, attempt, after } = finished
    const lease = this.#tables.leases.find(delivery.id)
    if (lease !== undefined) {
      // The usual case: unchanged since it was leased.
      const asLeased = { place: lease.place, lane: lease.lane.number, status: PENDING, attempts: delivery.attempts }
      if (yield* this.#move(asLeased, finished)) {
        yield* this.#store(asLeased, lease.lane, finished)
        return
      }
    }
    const present = yield* first(this.#tables.sql.findPlace({ id: idToBytes(delivery.id) }))
    if (present === undefined) return
    const lane = this.#tables.lanes.ofNumber(present.lane)
    if (present.status === PENDING || after.status === 'succeeded') yield* this.#move(present, finished)
    else yield* run(this.#tables.sql.recordAttempt({ place: present.place, ...lastOf(attempt) }))
    // The lease had expired, so the delivery may be offered again.
    this.#stale.add(lane)
    yield* this.#store(present, lane, finished)
  }

  /** The last step of the transaction. */
  *writeHealth(): Work<void> {
    for (const [lane, { failingSince, failuresInARow }] of this.#health) {
      yield* run(this.#tables.sql.setHealth({ lane: lane.number, failingSince, failuresInARow }))
    }
  }

  /** Call after the transaction is committed. */
  updateMemory(): void {
    const { lanes } = this.#tables
    this.#tables.pending -= this.#settled
    for (const [lane, health] of this.#health) lane.health = health
    for (const { lane, dueAt } of this.#again) lanes.offer(lane, dueAt)
    for (const lane of this.#stale) lanes.invalidate(lane)
  }

  /** Returns false and changes nothing if the delivery is no longer in this state. */
  *#move(found: DeliveryState, { delivery, attempt, after }: FinishedAttempt): Work<boolean> {
    const isPending = after.status === 'pending'
    const schedule = isPending ? after.schedule : delivery.schedule
    const { responseStatus, error, attemptAt } = lastOf(attempt)
    const changes = yield* run(
      this.#tables.sql.move({
        place: found.place,
        foundStatus: found.status,
        foundAttempts: found.attempts,
        status: statusCode(after.status),
        reason: after.status === 'failed' ? after.reason : null,
        dueAt: isPending ? Math.round(after.nextAttemptAt) : null,
        startedAt: schedule.startedAt,
        step: schedule.step,
        stepDueAt: !isPending || schedule.stepDueAt === null ? null : Math.round(schedule.stepDueAt),
        responseStatus,
        error,
        attemptAt,
        finishedAt: isPending ? null : endOf(attempt),
      }),
    )
    return changes !== 0
  }

  /** Stores the attempt and updates the health of its receiver. */
  *#store(found: DeliveryState, lane: StoredLane, finished: FinishedAttempt): Work<void> {
    const { attempt, after } = finished
    yield* run(this.#tables.sql.insertAttempt(toAttemptRow(found, finished, this.#tables.box)))
    this.#updateHealth(lane, attempt, after.status === 'succeeded')
    if (found.status !== PENDING) return
    if (after.status === 'pending') this.#again.push({ lane, dueAt: Math.round(after.nextAttemptAt) })
    else this.#settled += 1
  }

  #updateHealth(lane: StoredLane, attempt: Attempt, succeeded: boolean): void {
    const before = this.#health.get(lane) ?? lane.health
    if (!succeeded) {
      const { failingSince, failuresInARow } = before
      this.#health.set(lane, { failingSince: failingSince ?? endOf(attempt), failuresInARow: failuresInARow + 1 })
    } else if (before.failuresInARow > 0) {
      this.#health.set(lane, { failingSince: null, failuresInARow: 0 })
    }
  }
}

function lastOf({ response, error, startedAt }: Attempt) {
  return { responseStatus: response?.status ?? null, error: error?.code ?? null, attemptAt: startedAt }
}

function endOf({ startedAt, durationMs }: Attempt): number {
  return Math.round(startedAt + durationMs)
}
