import type { DeliveryId } from '@spoor/contract/ids'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import type { Attempt, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { statusCode } from './delivery-codes.ts'
import { type DeliveryTables, type DeliveryStanding, toStanding } from './delivery-tables.ts'
import type { StoredLane } from './stored-lanes.ts'

const PENDING = statusCode('pending')

/** Attempts that ended, on their way into the tables: rows in one transaction, then what memory is to know. */
export class FinishedBatch {
  readonly #tables: DeliveryTables
  readonly #health = new Map<StoredLane, LaneHealth>()
  /** Deliveries that are pending again, and when. */
  readonly #again: { readonly lane: StoredLane; readonly dueAt: number }[] = []
  /** Lanes of deliveries without a lease that are no longer due when they were. */
  readonly #doubtful = new Set<StoredLane>()
  #settled = 0

  constructor(tables: DeliveryTables) {
    this.#tables = tables
  }

  apply(finished: FinishedAttempt): void {
    const { delivery, attempt, after } = finished
    const lease = this.#tables.leases.find(delivery.id)
    if (lease !== undefined) {
      // As it was leased, which is the rule.
      const asLeased = { place: lease.place, lane: lease.lane.number, status: PENDING, attempts: delivery.attempts }
      if (this.#move(asLeased, finished)) {
        this.#keep(asLeased, lease.lane, finished)
        return
      }
    }
    const standing = this.#find(delivery.id)
    if (standing === undefined) return
    const lane = this.#tables.lanes.ofNumber(standing.lane)
    if (standing.status === PENDING || after.status === 'succeeded') this.#move(standing, finished)
    else this.#tables.sql.noteAttempt.run(...lastOf(attempt), standing.place)
    // Its lease had passed its end, so it may be due to somebody else.
    this.#doubtful.add(lane)
    this.#keep(standing, lane, finished)
  }

  /** The last thing of the transaction. */
  writeHealth(): void {
    for (const [lane, { failingSince, failuresInARow }] of this.#health) {
      this.#tables.sql.setHealth.run(failingSince, failuresInARow, lane.number)
    }
  }

  /** Once the transaction is there. */
  tellMemory(): void {
    const { lanes } = this.#tables
    this.#tables.pending -= this.#settled
    for (const [lane, health] of this.#health) lane.health = health
    for (const { lane, dueAt } of this.#again) lanes.offer(lane, dueAt)
    for (const lane of this.#doubtful) lanes.doubt(lane)
  }

  #find(id: DeliveryId): DeliveryStanding | undefined {
    return toStanding(this.#tables.sql.findPlace.get(idToBytes(id)))
  }

  /** False, and nothing is changed, when the delivery does not stand like that. */
  #move(standing: DeliveryStanding, { delivery, attempt, after }: FinishedAttempt): boolean {
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
      standing.place,
      standing.status,
      standing.attempts,
    )
    return changes !== 0
  }

  /** The attempt itself, and what it says of its receiver. */
  #keep(standing: DeliveryStanding, lane: StoredLane, { attempt, after }: FinishedAttempt): void {
    this.#insertAttempt(standing.place, standing.attempts + 1, attempt)
    this.#judge(lane, attempt, after.status === 'succeeded')
    if (standing.status !== PENDING) return
    if (after.status === 'pending') this.#again.push({ lane, dueAt: Math.round(after.nextAttemptAt) })
    else this.#settled += 1
  }

  #judge(lane: StoredLane, attempt: Attempt, succeeded: boolean): void {
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
