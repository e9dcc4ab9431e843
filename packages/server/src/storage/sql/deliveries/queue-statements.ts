import { indexedBy, inFew, locking } from '../kit/dialect-sql.ts'
import { insertRows, updateRows } from '../kit/many-rows.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { CANCELLED, FAILED, IS_FREE, NO_LEASE, PENDING } from './delivery-sql.ts'
import type { AttemptRow, DeliveryProgress, DeliveryTables } from './delivery-tables.ts'

/** A leased delivery, with what an attempt needs. */
export interface LeasedRow extends TimesRow {
  readonly id: Uint8Array
  readonly leases: number
  readonly type: number
  readonly attempts: number
  readonly event_id: Uint8Array
  readonly body: Uint8Array
}

export interface Leasing {
  readonly lane: number
  readonly now: number
  readonly until: number
  readonly node: string
  readonly limit: number
  readonly maxBytes: number
  /** The last place that is durable. */
  readonly through: number
}

export interface DeliveryState extends DeliveryProgress {
  readonly place: number
  readonly lane: number
  readonly leases: number
}

interface HealthRow {
  readonly lane: number
  readonly failing_since: number | null
  readonly failures_in_a_row: number
}

export type QueueSql = ReturnType<typeof queueStatementsOn>

export function queueStatementsOn(database: SqlDatabase<DeliveryTables>) {
  return {
    ...leaseStatementsOn(database),
    ...resultStatementsOn(database),
    ...healthStatementsOn(database),
    ...scanStatementsOn(database),
    ...giveUpStatementsOn(database),
  }
}

interface OfWebhook {
  readonly webhookId: Uint8Array
}

function leaseStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    forgetNodes: query<{ before: number }>('DELETE FROM delivery_nodes WHERE until < :before'),
    renewNode: query<{ node: string; until: number }>(`INSERT INTO delivery_nodes (node, until) VALUES (:node, :until)
      ON CONFLICT (node) DO UPDATE SET until = :until`),
    endNode: query<{ node: string }>('DELETE FROM delivery_nodes WHERE node = :node'),
    endLeases: query(`UPDATE deliveries SET ${NO_LEASE} WHERE leased_by IS NOT NULL`),
    /** Nodes lease one after the other, so that each counts what the others have leased. */
    lockLane: query<OfWebhook, { lane: number }>(`SELECT lane FROM delivery_lanes WHERE webhook_id = :webhookId
      ${locking(database, 'FOR NO KEY UPDATE')}`),
    countLeased: query<{ lane: number; now: number }, { count: number }>(`SELECT count(*) AS count FROM deliveries d
      WHERE d.lane = :lane AND d.leased_by IS NOT NULL AND NOT ${IS_FREE}`),
    leaseDue: query<Leasing, LeasedRow>(
      leaseWhere(database, `${indexedBy(database, 'deliveries_due')} WHERE d.due_at <= :now`),
    ),
    leaseOne: query<Leasing & { readonly id: Uint8Array }, LeasedRow>(leaseWhere(database, 'WHERE d.id = :id')),
    release: listQuery<number, unknown, { node: string }>(
      `UPDATE deliveries SET ${NO_LEASE} WHERE place IN (:values) AND leased_by = :node`,
    ),
  }
}

/** Leases the earliest due of a lane, whose row MUST be locked. Returns them in any order. */
function leaseWhere(database: SqlDatabase<DeliveryTables>, condition: string): string {
  const picked = `SELECT d.place, d.due_at,
      (SELECT length(e.body) FROM delivery_events e WHERE e.event = d.event) AS bytes
    FROM deliveries AS d ${condition} AND d.lane = :lane AND d.status = ${PENDING} AND d.place <= :through
      AND ${IS_FREE}
    ORDER BY d.due_at, d.place LIMIT :limit ${locking(database, 'FOR UPDATE OF d SKIP LOCKED')}`
  const sized = `SELECT place, row_number() OVER earliest AS number, sum(bytes) OVER earliest AS bytes
    FROM (${picked}) AS picked WINDOW earliest AS (ORDER BY due_at, place)`
  const taken = `SELECT place FROM (${sized}) AS sized WHERE number = 1 OR bytes <= :maxBytes`
  return `UPDATE deliveries SET leases = leases + 1, leased_by = :node, leased_until = :until
    WHERE place ${inFew(database, taken)}
    RETURNING place, id, leases, type, due_at, attempts, schedule_started_at, step, step_due_at,
      (SELECT e.id FROM delivery_events e WHERE e.event = deliveries.event) AS event_id,
      (SELECT e.body FROM delivery_events e WHERE e.event = deliveries.event) AS body`
}

function resultStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { listQuery } = sqlTextOn(database)
  return {
    /** In an order that all nodes follow, so that they wait for each other and not in a circle. */
    lockRows: listQuery<number, DeliveryState>(`SELECT place, lane, status, reason, due_at, schedule_started_at, step,
        step_due_at, attempts, last_response_status, last_error, last_attempt_at, finished_at, leases, leased_by,
        leased_until
      FROM deliveries WHERE place IN (:values) ORDER BY place ${locking(database, 'FOR UPDATE')}`),
    recordedLeases: listQuery<number, Pick<AttemptRow, 'delivery' | 'lease'>>(
      'SELECT delivery, lease FROM delivery_attempts WHERE delivery IN (:values)',
    ),
    insertAttempts: insertRows(database, (queries, rows: readonly AttemptRow[]) =>
      queries.insertInto('delivery_attempts').values(rows),
    ),
    writeRows: updateRows<DeliveryTables, DeliveryState>(database, 'deliveries', 'place', {
      status: 'bigint',
      reason: 'text',
      due_at: 'bigint',
      schedule_started_at: 'bigint',
      step: 'bigint',
      step_due_at: 'bigint',
      attempts: 'bigint',
      last_response_status: 'bigint',
      last_error: 'text',
      last_attempt_at: 'bigint',
      finished_at: 'bigint',
      leased_by: 'text',
      leased_until: 'bigint',
    }),
  }
}

function healthStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    healthOf: query<OfWebhook, Omit<HealthRow, 'lane'>>(
      'SELECT failing_since, failures_in_a_row FROM delivery_lanes WHERE webhook_id = :webhookId',
    ),
    lockHealth: listQuery<number, HealthRow>(`SELECT lane, failing_since, failures_in_a_row FROM delivery_lanes
      WHERE lane IN (:values) ORDER BY lane ${locking(database, 'FOR NO KEY UPDATE')}`),
    failingOf: listQuery<number, { lane: number }>(
      'SELECT lane FROM delivery_lanes WHERE lane IN (:values) AND failures_in_a_row > 0',
    ),
    setHealth: query<HealthRow>(`UPDATE delivery_lanes
      SET failing_since = :failing_since, failures_in_a_row = :failures_in_a_row WHERE lane = :lane`),
    forgetFailures: query<OfWebhook>(`UPDATE delivery_lanes SET failing_since = NULL, failures_in_a_row = 0
      WHERE webhook_id = :webhookId AND failures_in_a_row > 0`),
  }
}

interface TimesRow {
  readonly place: number
  readonly due_at: number
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
}

interface NewTimes {
  readonly place: number
  readonly foundDueAt: number
  readonly now: number
  readonly dueAt: number
  readonly startedAt: number
  readonly stepDueAt: number | null
}

function scanStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query } = sqlTextOn(database)
  const byStart = indexedBy(database, 'deliveries_by_start')
  return {
    /** Without `LIMIT 1`, SQLite reads all due deliveries of each subscription once the sorted page is full. */
    dueWebhooks: query<
      { now: number; after: Uint8Array; limit: number; through: number },
      { webhook_id: Uint8Array }
    >(`SELECT webhook_id FROM delivery_lanes l
      WHERE EXISTS (SELECT 1 FROM deliveries AS d ${indexedBy(database, 'deliveries_due')}
        WHERE d.lane = l.lane AND d.status = ${PENDING} AND d.due_at <= :now AND d.place <= :through AND ${IS_FREE}
        LIMIT 1)
      ORDER BY webhook_id <= :after, webhook_id LIMIT :limit`),
    nextDue: query<{ through: number }, { due_at: number }>(`SELECT due_at
      FROM deliveries ${indexedBy(database, 'deliveries_next')}
      WHERE status = ${PENDING} AND leased_by IS NULL AND place <= :through ORDER BY due_at, place LIMIT 1`),
    countPending: query<object, { count: number }>(
      `SELECT count(*) AS count FROM deliveries ${byStart} WHERE status = ${PENDING}`,
    ),
    readTimes: query<
      { startedAt: number; place: number; limit: number; now: number },
      TimesRow & { free: number }
    >(`SELECT place, due_at, schedule_started_at, step, step_due_at, CASE WHEN ${IS_FREE} THEN 1 ELSE 0 END AS free
      FROM deliveries AS d ${byStart}
      WHERE status = ${PENDING} AND (schedule_started_at, place) > (:startedAt, :place)
      ORDER BY schedule_started_at, place LIMIT :limit`),
    setTimes: query<NewTimes>(`UPDATE deliveries AS d
      SET due_at = :dueAt, schedule_started_at = :startedAt, step_due_at = :stepDueAt
      WHERE place = :place AND status = ${PENDING} AND due_at = :foundDueAt AND ${IS_FREE}`),
  }
}

interface Settling {
  readonly id: Uint8Array
  readonly node: string
  readonly status: number
  readonly reason: string | null
  readonly now: number
}

function giveUpStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query } = sqlTextOn(database)
  const old = `SELECT place FROM deliveries AS d ${indexedBy(database, 'deliveries_tried')}
    WHERE status = ${PENDING} AND (step > 0 OR step_due_at IS NOT NULL) AND schedule_started_at < :startedBefore
      AND ${IS_FREE}
    ORDER BY schedule_started_at, place LIMIT :limit ${locking(database, 'FOR UPDATE OF d SKIP LOCKED')}`
  const pending = `SELECT place FROM deliveries ${indexedBy(database, 'deliveries_due')}
    WHERE lane = (SELECT lane FROM delivery_lanes WHERE webhook_id = :webhookId) AND status = ${PENDING}
    ORDER BY due_at, place LIMIT :limit ${locking(database, 'FOR UPDATE')}`
  return {
    /** Not one that another node has leased. */
    settle: query<Settling>(`UPDATE deliveries AS d
      SET status = :status, reason = :reason, due_at = NULL, step_due_at = NULL, finished_at = :now, ${NO_LEASE}
      WHERE id = :id AND status = ${PENDING} AND (leased_by = :node OR ${IS_FREE})`),
    expire: query<{ startedBefore: number; now: number; limit: number }>(`UPDATE deliveries
      SET status = ${FAILED}, reason = 'expired', due_at = NULL, step_due_at = NULL, finished_at = :now, ${NO_LEASE}
      WHERE place ${inFew(database, old)}`),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    cancel: query<OfWebhook & { now: number; limit: number }>(`UPDATE deliveries
      SET status = ${CANCELLED}, due_at = NULL, step_due_at = NULL, finished_at = :now
      WHERE place ${inFew(database, pending)}`),
  }
}
