import type { DeliveryId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import type { Attempt, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { statusCode } from './delivery-codes.ts'
import { type DeliveryTables, type DeliveryState, toDeliveryState } from './delivery-tables.ts'
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

  apply(finished: FinishedAttempt): void {
    const { delivery, attempt, after } = finished
    const lease = this.#tables.leases.find(delivery.id)
    if (lease !== undefined) {
      // The usual case: unchanged since it was leased.
      const asLeased = { place: lease.place, lane: lease.lane.number, status: PENDING, attempts: delivery.attempts }
      if (this.#move(asLeased, finished)) {
        this.#keep(asLeased, lease.lane, finished)
        return
      }
    }
    const present = this.#find(delivery.id)
    if (present === undefined) return
    const lane = this.#tables.lanes.ofNumber(present.lane)
    if (present.status === PENDING || after.status === 'succeeded') this.#move(present, finished)
    else this.#tables.sql.noteAttempt.run(...lastOf(attempt), present.place)
    // The lease had expired, so the delivery may be offered again.
    this.#stale.add(lane)
    this.#keep(present, lane, finished)
  }

  /** The last step of the transaction. */
  writeHealth(): void {
    for (const [lane, { failingSince, failuresInARow }] of this.#health) {
      this.#tables.sql.setHealth.run(failingSince, failuresInARow, lane.number)
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

  #find(id: DeliveryId): DeliveryState | undefined {
    return toDeliveryState(this.#tables.sql.findPlace.get(idToBytes(id)))
  }

  /** Returns false and changes nothing if the delivery is no longer in this state. */
  #move(present: DeliveryState, { delivery, attempt, after }: FinishedAttempt): boolean {
    const isPending = after.status === 'pending'
    const schedule = isPending ? after.schedule : delivery.schedule
    const { changes } = this.#tables.sql.move.run(
      statusCode(after.status),
      after.status === 'failed' ? after.reason : null,
      isPending ? Math.round(after.nextAttemptAt) : null,
      schedule.startedAt,
      schedule.step,
      !isPending || schedule.stepDueAt === null ? null : Math.round(schedule.stepDueAt),
      ...lastOf(attempt),
      isPending ? null : endOf(attempt),
      present.place,
      present.status,
      present.attempts,
    )
    return changes !== 0
  }

  /** Stores the attempt and updates the health of its receiver. */
  #keep(present: DeliveryState, lane: StoredLane, { attempt, after }: FinishedAttempt): void {
    this.#insertAttempt(present.place, present.attempts + 1, attempt)
    this.#updateHealth(lane, attempt, after.status === 'succeeded')
    if (present.status !== PENDING) return
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

  #insertAttempt(place: number, number: number, attempt: Attempt): void {
    const { response, error } = attempt
    this.#tables.sql.insertAttempt.run(
      place,
      number,
      attempt.startedAt,
      attempt.durationMs,
      attempt.url,
      JSON.stringify(attempt.requestHeaders),
      response?.status ?? null,
      response === null ? null : JSON.stringify(response.headers),
      response?.body ?? null,
      response === null ? null : Number(response.truncated),
      error?.code ?? null,
      error?.detail ?? null,
    )
  }
}

function lastOf({ response, error, startedAt }: Attempt): readonly [number | null, string | null, number] {
  return [response?.status ?? null, error?.code ?? null, startedAt]
}

function endOf({ startedAt, durationMs }: Attempt): number {
  return Math.round(startedAt + durationMs)
}
