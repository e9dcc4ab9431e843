import { type RawBuilder, sql } from 'kysely'
import { indexedBy, inFew, locking } from '../kit/dialect-sql.ts'
import { listStatement } from '../kit/list-statement.ts'
import { insertRows, updateRows } from '../kit/many-rows.ts'
import { raw } from '../kit/raw-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { CANCELLED, FAILED, isFree, NO_LEASE, PENDING } from './delivery-sql.ts'
import type { AttemptRow, DeliveryProgress, DeliveryTables } from './delivery-tables.ts'

/** A leased delivery, with what an attempt needs. */
export interface LeasedRow {
  readonly place: number
  readonly id: Uint8Array
  readonly leases: number
  readonly type: number
  readonly due_at: number
  readonly attempts: number
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
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

function leaseStatementsOn(database: SqlDatabase<DeliveryTables>) {
  return {
    forgetNodes: database.statement((queries, { before }: { before: number }) =>
      queries.deleteFrom('delivery_nodes').where('until', '<', before),
    ),
    renewNode: database.statement((queries, { node, until }: { node: string; until: number }) =>
      queries
        .insertInto('delivery_nodes')
        .values({ node, until })
        .onConflict((conflict) => conflict.column('node').doUpdateSet({ until })),
    ),
    endNode: database.statement((queries, { node }: { node: string }) =>
      queries.deleteFrom('delivery_nodes').where('node', '=', node),
    ),
    endLeases: database.statement((queries) =>
      raw(queries, sql`UPDATE deliveries SET ${NO_LEASE} WHERE leased_by IS NOT NULL`),
    ),
    /** Nodes lease one after the other, so that each counts what the others have leased. */
    lockLane: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<{ lane: number }>`SELECT lane FROM delivery_lanes WHERE webhook_id = ${webhookId}
          ${locking(database, 'FOR NO KEY UPDATE')}`,
      ),
    ),
    countLeased: database.statement((queries, { lane, now }: { lane: number; now: number }) =>
      raw(
        queries,
        sql<{ count: number }>`SELECT count(*) AS count FROM deliveries d
          WHERE d.lane = ${lane} AND d.leased_by IS NOT NULL AND NOT ${isFree(now)}`,
      ),
    ),
    leaseDue: database.statement((queries, one: Leasing) =>
      raw(
        queries,
        leaseWhere(database, one, sql`${indexedBy(database, 'deliveries_due')} WHERE d.due_at <= ${one.now}`),
      ),
    ),
    leaseOne: database.statement((queries, one: Leasing & { readonly id: Uint8Array }) =>
      raw(queries, leaseWhere(database, one, sql`WHERE d.id = ${one.id}`)),
    ),
    release: listStatement(database, (queries, places: readonly number[], { node }: { node: string }) =>
      raw(queries, sql`UPDATE deliveries SET ${NO_LEASE} WHERE place IN (${sql.join(places)}) AND leased_by = ${node}`),
    ),
  }
}

/** Leases the earliest due of a lane, whose row MUST be locked. Returns them in any order. */
function leaseWhere(
  database: SqlDatabase<DeliveryTables>,
  one: Leasing,
  condition: RawBuilder<unknown>,
): RawBuilder<LeasedRow> {
  const picked = sql`SELECT d.place, d.due_at,
      (SELECT length(e.body) FROM delivery_events e WHERE e.event = d.event) AS bytes
    FROM deliveries AS d ${condition} AND d.lane = ${one.lane} AND d.status = ${PENDING} AND d.place <= ${one.through}
      AND ${isFree(one.now)}
    ORDER BY d.due_at, d.place LIMIT ${one.limit} ${locking(database, 'FOR UPDATE OF d SKIP LOCKED')}`
  const sized = sql`SELECT place, row_number() OVER earliest AS number, sum(bytes) OVER earliest AS bytes
    FROM (${picked}) AS picked WINDOW earliest AS (ORDER BY due_at, place)`
  const taken = sql`SELECT place FROM (${sized}) AS sized WHERE number = 1 OR bytes <= ${one.maxBytes}`
  return sql`UPDATE deliveries SET leases = leases + 1, leased_by = ${one.node}, leased_until = ${one.until}
    WHERE place ${inFew(database, taken)}
    RETURNING place, id, leases, type, due_at, attempts, schedule_started_at, step, step_due_at,
      (SELECT e.id FROM delivery_events e WHERE e.event = deliveries.event) AS event_id,
      (SELECT e.body FROM delivery_events e WHERE e.event = deliveries.event) AS body`
}

function resultStatementsOn(database: SqlDatabase<DeliveryTables>) {
  return {
    /** In an order that all nodes follow, so that they wait for each other and not in a circle. */
    lockRows: listStatement(database, (queries, places: readonly number[]) =>
      raw(
        queries,
        sql<DeliveryState>`SELECT place, lane, status, reason, due_at, schedule_started_at, step, step_due_at, attempts,
            last_response_status, last_error, last_attempt_at, finished_at, leases, leased_by, leased_until
          FROM deliveries WHERE place IN (${sql.join(places)}) ORDER BY place ${locking(database, 'FOR UPDATE')}`,
      ),
    ),
    recordedLeases: listStatement(database, (queries, places: readonly number[]) =>
      queries.selectFrom('delivery_attempts').select(['delivery', 'lease']).where('delivery', 'in', places),
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
  return {
    healthOf: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      queries
        .selectFrom('delivery_lanes')
        .select(['failing_since', 'failures_in_a_row'])
        .where('webhook_id', '=', webhookId),
    ),
    lockHealth: listStatement(database, (queries, lanes: readonly number[]) =>
      raw(
        queries,
        sql<HealthRow>`SELECT lane, failing_since, failures_in_a_row FROM delivery_lanes
          WHERE lane IN (${sql.join(lanes)}) ORDER BY lane ${locking(database, 'FOR NO KEY UPDATE')}`,
      ),
    ),
    failingOf: listStatement(database, (queries, lanes: readonly number[]) =>
      queries.selectFrom('delivery_lanes').select('lane').where('lane', 'in', lanes).where('failures_in_a_row', '>', 0),
    ),
    setHealth: database.statement((queries, { lane, failing_since, failures_in_a_row }: HealthRow) =>
      queries.updateTable('delivery_lanes').set({ failing_since, failures_in_a_row }).where('lane', '=', lane),
    ),
    forgetFailures: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      queries
        .updateTable('delivery_lanes')
        .set({ failing_since: null, failures_in_a_row: 0 })
        .where('webhook_id', '=', webhookId)
        .where('failures_in_a_row', '>', 0),
    ),
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
  return {
    /** Without `LIMIT 1`, SQLite reads all due deliveries of each subscription once the sorted page is full. */
    dueWebhooks: database.statement(
      (queries, page: { now: number; after: Uint8Array; limit: number; through: number }) =>
        raw(
          queries,
          sql<{ webhook_id: Uint8Array }>`SELECT webhook_id FROM delivery_lanes l
          WHERE EXISTS (SELECT 1 FROM deliveries AS d ${indexedBy(database, 'deliveries_due')}
            WHERE d.lane = l.lane AND d.status = ${PENDING} AND d.due_at <= ${page.now} AND d.place <= ${page.through}
              AND ${isFree(page.now)} LIMIT 1)
          ORDER BY webhook_id <= ${page.after}, webhook_id LIMIT ${page.limit}`,
        ),
    ),
    nextDue: database.statement((queries, { through }: { through: number }) =>
      raw(
        queries,
        sql<{ due_at: number }>`SELECT due_at FROM deliveries ${indexedBy(database, 'deliveries_next')}
          WHERE status = ${PENDING} AND leased_by IS NULL AND place <= ${through} ORDER BY due_at, place LIMIT 1`,
      ),
    ),
    countPending: database.statement((queries) =>
      raw(
        queries,
        sql<{ count: number }>`SELECT count(*) AS count FROM deliveries ${indexedBy(database, 'deliveries_by_start')}
          WHERE status = ${PENDING}`,
      ),
    ),
    readTimes: database.statement((queries, page: { startedAt: number; place: number; limit: number; now: number }) =>
      raw(
        queries,
        sql<TimesRow & { free: number }>`SELECT place, due_at, schedule_started_at, step, step_due_at,
            CASE WHEN ${isFree(page.now)} THEN 1 ELSE 0 END AS free
          FROM deliveries AS d ${indexedBy(database, 'deliveries_by_start')}
          WHERE status = ${PENDING} AND (schedule_started_at, place) > (${page.startedAt}, ${page.place})
          ORDER BY schedule_started_at, place LIMIT ${page.limit}`,
      ),
    ),
    setTimes: database.statement((queries, times: NewTimes) =>
      raw(
        queries,
        sql`UPDATE deliveries AS d
          SET due_at = ${times.dueAt}, schedule_started_at = ${times.startedAt}, step_due_at = ${times.stepDueAt}
          WHERE place = ${times.place} AND status = ${PENDING} AND due_at = ${times.foundDueAt} AND ${isFree(times.now)}`,
      ),
    ),
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
  return {
    /** Not one that another node has leased. */
    settle: database.statement((queries, one: Settling) =>
      raw(
        queries,
        sql`UPDATE deliveries AS d
          SET status = ${one.status}, reason = ${one.reason}, due_at = NULL, step_due_at = NULL,
            finished_at = ${one.now}, ${NO_LEASE}
          WHERE id = ${one.id} AND status = ${PENDING} AND (leased_by = ${one.node} OR ${isFree(one.now)})`,
      ),
    ),
    expire: database.statement((queries, page: { startedBefore: number; now: number; limit: number }) => {
      const old = sql`SELECT place FROM deliveries AS d ${indexedBy(database, 'deliveries_tried')}
        WHERE status = ${PENDING} AND (step > 0 OR step_due_at IS NOT NULL)
          AND schedule_started_at < ${page.startedBefore} AND ${isFree(page.now)}
        ORDER BY schedule_started_at, place LIMIT ${page.limit} ${locking(database, 'FOR UPDATE OF d SKIP LOCKED')}`
      return raw(
        queries,
        sql`UPDATE deliveries SET status = ${FAILED}, reason = 'expired', due_at = NULL, step_due_at = NULL,
            finished_at = ${page.now}, ${NO_LEASE}
          WHERE place ${inFew(database, old)}`,
      )
    }),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    cancel: database.statement((queries, page: { webhookId: Uint8Array; now: number; limit: number }) => {
      const pending = sql`SELECT place FROM deliveries ${indexedBy(database, 'deliveries_due')}
        WHERE lane = (SELECT lane FROM delivery_lanes WHERE webhook_id = ${page.webhookId}) AND status = ${PENDING}
        ORDER BY due_at, place LIMIT ${page.limit} ${locking(database, 'FOR UPDATE')}`
      return raw(
        queries,
        sql`UPDATE deliveries
          SET status = ${CANCELLED}, due_at = NULL, step_due_at = NULL, finished_at = ${page.now}
          WHERE place ${inFew(database, pending)}`,
      )
    }),
  }
}
