import type { SecretBox } from '../../../lib/secret-box.ts'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import type { FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { statusCode } from '../deliveries/delivery-codes.ts'
import { toAttemptRow } from '../deliveries/delivery-row.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { all, run, type Work } from '../kit/sql-database.ts'
import type { DeliveryState, PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'
import type { QueueSql } from './queue-statements.ts'

const PENDING = statusCode('pending')
const SUCCEEDED = statusCode('succeeded')

export interface LeasedFinish extends FinishedAttempt {
  readonly place: number
  /** The lease under which the attempt was made. */
  readonly lease: number
}

/**
 * Ended attempts in one transaction of a few statements, however many there are.
 *
 * - An attempt is stored once for its lease: a transaction whose answer was lost is repeated without effect.
 * - A failure moves its delivery only under the delivery's present lease. If another node has leased it since, that
 *   node's attempt decides, and this one is only listed.
 * - A success moves its delivery always, and once.
 */
export class FinishedWork {
  readonly #database: PostgresqlDatabase<PostgresqlDeliveryTables>
  readonly #sql: QueueSql
  readonly #box: SecretBox

  constructor(database: PostgresqlDatabase<PostgresqlDeliveryTables>, sql: QueueSql, box: SecretBox) {
    this.#database = database
    this.#sql = sql
    this.#box = box
  }

  *store(finished: readonly LeasedFinish[]): Work<void> {
    const [places, leases] = [finished.map(({ place }) => place).join(), finished.map(({ lease }) => lease).join()]
    const rows = new Map<number, DeliveryState>()
    for (const row of yield* all(this.#sql.lockRows({ places }))) rows.set(row.place, row)
    if (rows.size === 0) return
    const recorded = new Set<number>()
    for (const { lease } of yield* all(this.#sql.recordedLeases({ places, leases }))) recorded.add(lease)
    const changed = new Map<number, DeliveryState>()
    const attempts: (ReturnType<typeof toAttemptRow> & { readonly lease: number })[] = []
    const counted: Counted[] = []
    for (const one of finished) {
      const row = changed.get(one.place) ?? rows.get(one.place)
      if (row === undefined || recorded.has(one.lease)) continue
      recorded.add(one.lease)
      attempts.push({ ...toAttemptRow(row, one, this.#box), lease: one.lease })
      changed.set(one.place, rowAfter(row, one))
      counted.push({ lane: row.lane, endedAt: endOf(one), succeeded: one.after.status === 'succeeded' })
    }
    if (attempts.length === 0) return
    yield* run(this.#database.bound((queries) => queries.insertInto('delivery_attempts').values(attempts)))
    yield* run(this.#sql.writeRows({ rows: JSON.stringify([...changed.values()]), places }))
    yield* this.#writeHealth(counted)
  }

  *#writeHealth(counted: readonly Counted[]): Work<void> {
    const lanes = [...new Set(counted.map(({ lane }) => lane))]
    const failing = new Set<number>()
    // A success of a healthy receiver, which is the usual case, changes and locks nothing.
    for (const { lane } of yield* all(this.#sql.failingOf({ lanes: lanes.join() }))) failing.add(lane)
    for (const { lane, succeeded } of counted) if (!succeeded) failing.add(lane)
    if (failing.size === 0) return
    for (const row of yield* all(this.#sql.lockHealth({ lanes: [...failing].join() }))) {
      let health: LaneHealth = { failingSince: row.failing_since, failuresInARow: row.failures_in_a_row }
      for (const one of counted) if (one.lane === row.lane) health = healthAfter(health, one)
      const { failingSince, failuresInARow } = health
      yield* run(
        this.#sql.setHealth({ lane: row.lane, failing_since: failingSince, failures_in_a_row: failuresInARow }),
      )
    }
  }
}

interface Counted {
  readonly lane: number
  readonly endedAt: number
  readonly succeeded: boolean
}

function healthAfter({ failingSince, failuresInARow }: LaneHealth, { endedAt, succeeded }: Counted): LaneHealth {
  if (succeeded) return { failingSince: null, failuresInARow: 0 }
  return { failingSince: failingSince ?? endedAt, failuresInARow: failuresInARow + 1 }
}

function rowAfter(row: DeliveryState, finished: LeasedFinish): DeliveryState {
  const { attempt, after } = finished
  const isHeld = row.lease === finished.lease
  const counted = {
    ...row,
    ...(isHeld ? { lease: null, leased_by: null, leased_until: null } : {}),
    attempts: row.attempts + 1,
    last_response_status: attempt.response?.status ?? null,
    last_error: attempt.error?.code ?? null,
    last_attempt_at: attempt.startedAt,
  }
  if (after.status === 'succeeded') {
    if (row.status === SUCCEEDED) return counted
    const succeeded = { status: SUCCEEDED, reason: null, due_at: null, step_due_at: null }
    return { ...counted, ...succeeded, finished_at: endOf(finished) }
  }
  if (!isHeld || row.status !== PENDING) return counted
  if (after.status !== 'pending') {
    const reason = after.status === 'failed' ? after.reason : null
    const ended = { status: statusCode(after.status), reason, due_at: null, step_due_at: null }
    return { ...counted, ...ended, finished_at: endOf(finished) }
  }
  const { startedAt, step, stepDueAt } = after.schedule
  return {
    ...counted,
    due_at: Math.round(after.nextAttemptAt),
    schedule_started_at: startedAt,
    step,
    step_due_at: stepDueAt === null ? null : Math.round(stepDueAt),
  }
}

function endOf({ attempt: { startedAt, durationMs } }: FinishedAttempt): number {
  return Math.round(startedAt + durationMs)
}
