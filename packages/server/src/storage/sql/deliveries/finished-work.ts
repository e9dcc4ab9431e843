import type { SecretBox } from '../../../lib/secret-box.ts'
import type { LaneHealth } from '../../../ports/webhooks/delivery-queue.ts'
import type { FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import { allParts, runParts } from '../kit/list-statement.ts'
import { run, type Work } from '../kit/sql-database.ts'
import { statusCode } from './delivery-codes.ts'
import { toAttemptRow } from './delivery-row.ts'
import type { AttemptRow } from './delivery-tables.ts'
import type { DeliveryState, QueueSql } from './queue-statements.ts'

const PENDING = statusCode('pending')
const SUCCEEDED = statusCode('succeeded')

export interface LeasedFinish extends FinishedAttempt {
  readonly place: number
  /** The number of the lease under which the attempt was made. */
  readonly lease: number
}

/**
 * Ended attempts in one transaction of a few statements, however many there are.
 *
 * - An attempt is stored once for its lease: a transaction whose answer was lost is repeated without effect.
 * - A failure moves its delivery only while the node still or again has leased it: a clock that is set forward ends
 *   leases of attempts that are under way. If another node has leased it since, that node's attempt decides, and this
 *   one is only listed.
 * - A success moves its delivery always, and once.
 */
export class FinishedWork {
  readonly #sql: QueueSql
  readonly #box: SecretBox
  readonly #node: string

  constructor(sql: QueueSql, { box, node }: { readonly box: SecretBox; readonly node: string }) {
    this.#sql = sql
    this.#box = box
    this.#node = node
  }

  *store(finished: readonly LeasedFinish[]): Work<void> {
    const places = finished.map(({ place }) => place).toSorted((a, b) => a - b)
    const rows = new Map<number, DeliveryState>()
    for (const row of yield* allParts(this.#sql.lockRows(places, {}))) rows.set(row.place, row)
    const recorded = yield* this.#recordedAmong(finished, rows)
    const changed = new Map<number, DeliveryState>()
    const attempts: AttemptRow[] = []
    const counted: Counted[] = []
    for (const one of finished) {
      const row = changed.get(one.place) ?? rows.get(one.place)
      if (row === undefined || recorded.has(nameOf(one))) continue
      recorded.add(nameOf(one))
      attempts.push(toAttemptRow(row, one, this.#box))
      changed.set(one.place, rowAfter(row, one, this.#node))
      counted.push({ lane: row.lane, endedAt: endOf(one), succeeded: one.after.status === 'succeeded' })
    }
    if (attempts.length === 0) return
    yield* runParts(this.#sql.insertAttempts(attempts))
    yield* runParts(this.#sql.writeRows([...changed.values()]))
    yield* this.#writeHealth(counted)
  }

  /** Names of those whose attempt is stored already. A lease that has not ended has none. */
  *#recordedAmong(finished: readonly LeasedFinish[], rows: ReadonlyMap<number, DeliveryState>): Work<Set<string>> {
    const ended = finished.filter((one) => !isPresent(rows.get(one.place), one))
    const places = ended.map(({ place }) => place)
    const stored = yield* allParts(this.#sql.recordedLeases(places, {}))
    return new Set(stored.map(({ delivery, lease }) => nameOf({ place: delivery, lease })))
  }

  *#writeHealth(counted: readonly Counted[]): Work<void> {
    const lanes = [...new Set(counted.map(({ lane }) => lane))]
    const failing = new Set<number>()
    // A success of a healthy receiver, which is the usual case, changes and locks nothing.
    for (const { lane } of yield* allParts(this.#sql.failingOf(lanes, {}))) failing.add(lane)
    for (const { lane, succeeded } of counted) if (!succeeded) failing.add(lane)
    const ordered = [...failing].toSorted((a, b) => a - b)
    for (const row of yield* allParts(this.#sql.lockHealth(ordered, {}))) {
      let health: LaneHealth = { failingSince: row.failing_since, failuresInARow: row.failures_in_a_row }
      for (const one of counted) if (one.lane === row.lane) health = healthAfter(health, one)
      const { failingSince, failuresInARow } = health
      yield* run(
        this.#sql.setHealth({ lane: row.lane, failing_since: failingSince, failures_in_a_row: failuresInARow }),
      )
    }
  }
}

/** Of a lease in the store. */
function nameOf({ place, lease }: Pick<LeasedFinish, 'place' | 'lease'>): string {
  return `${place} ${lease}`
}

function isPresent(row: DeliveryState | undefined, { lease }: LeasedFinish): boolean {
  return row !== undefined && row.leased_by !== null && row.leases === lease
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

function rowAfter(row: DeliveryState, finished: LeasedFinish, node: string): DeliveryState {
  const { attempt, after } = finished
  const holds = row.leased_by === node
  const counted = {
    ...row,
    ...(holds ? { leased_by: null, leased_until: null } : {}),
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
  if (!holds || row.status !== PENDING) return counted
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
