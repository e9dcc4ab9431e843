import { type RawBuilder, sql } from 'kysely'
import { statusCode } from '../deliveries/delivery-codes.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { raw } from '../kit/raw-statement.ts'
import {
  type DeliveryState,
  inList,
  isFree,
  NO_LEASE,
  type PostgresqlDeliveryTables,
} from './postgresql-delivery-tables.ts'

/** A literal: a partial index is used only if its condition is known when the statement is planned. */
const PENDING = sql.lit(statusCode('pending'))
const FAILED = sql.lit(statusCode('failed'))
const CANCELLED = sql.lit(statusCode('cancelled'))

/** What is leased, with what an attempt needs. All null in the one row that there is when nothing was leased. */
export interface LeasedRow {
  /** How many others of the subscription are leased. */
  readonly held: number
  readonly place: number | null
  readonly id: Uint8Array
  readonly lease: number
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
  /** Leased at once, at all nodes together. */
  readonly most: number
}

export interface LaneHealthRow {
  readonly lane: number
  readonly failing_since: number | null
  readonly failures_in_a_row: number
}

export type QueueSql = ReturnType<typeof queueStatementsOn>

export function queueStatementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
  return { ...leaseStatementsOn(database), ...scanStatementsOn(database), ...giveUpStatementsOn(database) }
}

function leaseStatementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
  return {
    renewNode: database.statement((queries, node: { node: string; now: number; until: number; oldest: number }) =>
      raw(
        queries,
        sql`WITH gone AS (DELETE FROM delivery_nodes WHERE until < ${node.oldest})
          INSERT INTO delivery_nodes (node, until) VALUES (${node.node}, ${node.until})
          ON CONFLICT (node) DO UPDATE SET until = excluded.until`,
      ),
    ),
    endNode: database.statement((queries, { node }: { node: string }) =>
      raw(queries, sql`DELETE FROM delivery_nodes WHERE node = ${node}`),
    ),
    /** Nodes lease one after the other, so that each counts what the others have leased. */
    lockLane: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<{ lane: number }>`SELECT lane FROM delivery_lanes WHERE webhook_id = ${webhookId} FOR NO KEY UPDATE`,
      ),
    ),
    leaseDue: database.statement((queries, one: Leasing) => raw(queries, leaseWhere(one, sql`d.due_at <= ${one.now}`))),
    leaseOne: database.statement((queries, one: Leasing & { readonly id: Uint8Array }) =>
      raw(queries, leaseWhere(one, sql`d.id = ${one.id}`)),
    ),
    release: database.statement((queries, { node, places }: { node: string; places: string }) =>
      raw(queries, sql`UPDATE deliveries SET ${NO_LEASE} WHERE place ${inList(places)} AND leased_by = ${node}`),
    ),
    /** In an order that all nodes follow, so that they wait for each other and not in a circle. */
    lockRows: database.statement((queries, { places }: { places: string }) =>
      raw(
        queries,
        sql<DeliveryState>`SELECT place, lane, status, reason, due_at, schedule_started_at, step, step_due_at, attempts,
            last_response_status, last_error, last_attempt_at, finished_at, lease, leased_by, leased_until
          FROM deliveries WHERE place ${inList(places)} ORDER BY place FOR UPDATE`,
      ),
    ),
    recordedLeases: database.statement((queries, { places, leases }: { places: string; leases: string }) =>
      raw(
        queries,
        sql<{ lease: number }>`SELECT lease FROM delivery_attempts
          WHERE delivery ${inList(places)} AND lease ${inList(leases)}`,
      ),
    ),
    /** `rows`: JSON of the columns below. The planner uses the index for a list of places. */
    writeRows: database.statement((queries, { rows, places }: { rows: string; places: string }) =>
      raw(
        queries,
        sql`UPDATE deliveries d SET status = x.status, reason = x.reason, due_at = x.due_at,
            schedule_started_at = x.schedule_started_at, step = x.step, step_due_at = x.step_due_at,
            attempts = x.attempts, last_response_status = x.last_response_status, last_error = x.last_error,
            last_attempt_at = x.last_attempt_at, finished_at = x.finished_at,
            lease = x.lease, leased_by = x.leased_by, leased_until = x.leased_until
          FROM json_to_recordset(${rows}::json) AS x (place bigint, status bigint, reason text, due_at bigint,
            schedule_started_at bigint, step bigint, step_due_at bigint, attempts bigint,
            last_response_status bigint, last_error text, last_attempt_at bigint, finished_at bigint,
            lease bigint, leased_by text, leased_until bigint)
          WHERE d.place = x.place AND d.place ${inList(places)}`,
      ),
    ),
    healthOf: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<LaneHealthRow>`SELECT lane, failing_since, failures_in_a_row FROM delivery_lanes
          WHERE webhook_id = ${webhookId}`,
      ),
    ),
    lockHealth: database.statement((queries, { lanes }: { lanes: string }) =>
      raw(
        queries,
        sql<LaneHealthRow>`SELECT lane, failing_since, failures_in_a_row FROM delivery_lanes
          WHERE lane ${inList(lanes)} ORDER BY lane FOR NO KEY UPDATE`,
      ),
    ),
    failingOf: database.statement((queries, { lanes }: { lanes: string }) =>
      raw(
        queries,
        sql<{ lane: number }>`SELECT lane FROM delivery_lanes WHERE lane ${inList(lanes)} AND failures_in_a_row > 0`,
      ),
    ),
    setHealth: database.statement((queries, row: LaneHealthRow) =>
      raw(
        queries,
        sql`UPDATE delivery_lanes SET failing_since = ${row.failing_since}, failures_in_a_row = ${row.failures_in_a_row}
          WHERE lane = ${row.lane}`,
      ),
    ),
    forgetFailures: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql`UPDATE delivery_lanes SET failing_since = NULL, failures_in_a_row = 0
          WHERE webhook_id = ${webhookId} AND failures_in_a_row > 0`,
      ),
    ),
  }
}

/**
 * Leases the earliest due of a lane. Its row MUST be locked. The rows are named in an array, because the planner does not
 * know how few they are and would join whole tables.
 */
function leaseWhere(one: Leasing, condition: RawBuilder<unknown>): RawBuilder<LeasedRow> {
  return sql<LeasedRow>`WITH held AS (
      SELECT count(*) AS held FROM deliveries d
      WHERE d.lane = ${one.lane} AND d.lease IS NOT NULL AND NOT ${isFree(one.now)}
    ), picked AS (
      SELECT d.place, d.due_at, (SELECT length(e.body) FROM delivery_events e WHERE e.event = d.event) AS bytes
      FROM deliveries d
      WHERE d.lane = ${one.lane} AND d.status = ${PENDING} AND ${condition} AND ${isFree(one.now)}
      ORDER BY d.due_at, d.place
      LIMIT greatest(0, least(${one.limit}::bigint, ${one.most}::bigint - (SELECT held FROM held)))
      FOR UPDATE OF d SKIP LOCKED
    ), sized AS (
      SELECT place, row_number() OVER earliest AS number, sum(bytes) OVER earliest AS bytes
      FROM picked WINDOW earliest AS (ORDER BY due_at, place)
    ), taken AS (
      UPDATE deliveries d
      SET lease = nextval('delivery_leases'), leased_by = ${one.node}, leased_until = ${one.until}
      FROM delivery_events e
      WHERE e.event = d.event
        AND d.place = ANY (ARRAY(SELECT place FROM sized WHERE number = 1 OR bytes <= ${one.maxBytes}::bigint))
      RETURNING d.place, d.id, d.lease, d.type, d.due_at, d.attempts, d.schedule_started_at, d.step,
        d.step_due_at, e.id AS event_id, e.body
    )
    SELECT held.held, taken.* FROM held LEFT JOIN taken ON true ORDER BY taken.due_at, taken.place`
}

interface TimesRow {
  readonly place: number
  readonly due_at: number
  readonly schedule_started_at: number
  readonly step: number
  readonly step_due_at: number | null
  readonly free: boolean
}

interface NewTimes {
  readonly place: number
  readonly foundDueAt: number
  readonly now: number
  readonly dueAt: number
  readonly startedAt: number
  readonly stepDueAt: number | null
}

function scanStatementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
  return {
    dueWebhooks: database.statement((queries, page: { now: number; after: Uint8Array; limit: number }) =>
      raw(
        queries,
        sql<{ webhook_id: Uint8Array }>`SELECT webhook_id FROM delivery_lanes l
          WHERE EXISTS (SELECT 1 FROM deliveries d
            WHERE d.lane = l.lane AND d.status = ${PENDING} AND d.due_at <= ${page.now} AND ${isFree(page.now)})
          ORDER BY webhook_id <= ${page.after}, webhook_id LIMIT ${page.limit}`,
      ),
    ),
    nextDue: database.statement((queries, { now }: { now: number }) =>
      raw(
        queries,
        sql<{ due_at: number }>`SELECT due_at FROM deliveries d WHERE status = ${PENDING} AND ${isFree(now)}
          ORDER BY due_at LIMIT 1`,
      ),
    ),
    countPending: database.statement((queries) =>
      raw(queries, sql<{ count: number }>`SELECT count(*) AS count FROM deliveries WHERE status = ${PENDING}`),
    ),
    readTimes: database.statement((queries, page: { startedAt: number; place: number; limit: number; now: number }) =>
      raw(
        queries,
        sql<TimesRow>`SELECT place, due_at, schedule_started_at, step, step_due_at, ${isFree(page.now)} AS free
            FROM deliveries d
            WHERE status = ${PENDING} AND (schedule_started_at, place) > (${page.startedAt}, ${page.place})
            ORDER BY schedule_started_at, place LIMIT ${page.limit}`,
      ),
    ),
    setTimes: database.statement((queries, times: NewTimes) =>
      raw(
        queries,
        sql`UPDATE deliveries d
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

function giveUpStatementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
  return {
    /** Not one that another node has leased. */
    settle: database.statement((queries, one: Settling) =>
      raw(
        queries,
        sql`UPDATE deliveries d
          SET status = ${one.status}, reason = ${one.reason}, due_at = NULL, step_due_at = NULL,
            finished_at = ${one.now}, ${NO_LEASE}
          WHERE id = ${one.id} AND status = ${PENDING} AND (leased_by = ${one.node} OR ${isFree(one.now)})`,
      ),
    ),
    expire: database.statement((queries, page: { startedBefore: number; now: number; limit: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries SET status = ${FAILED}, reason = 'expired', due_at = NULL, step_due_at = NULL,
            finished_at = ${page.now}, ${NO_LEASE}
          WHERE place IN (SELECT place FROM deliveries d
            WHERE status = ${PENDING} AND (step > 0 OR step_due_at IS NOT NULL)
              AND schedule_started_at < ${page.startedBefore} AND ${isFree(page.now)}
            ORDER BY schedule_started_at, place LIMIT ${page.limit} FOR UPDATE OF d SKIP LOCKED)`,
      ),
    ),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    cancel: database.statement((queries, page: { webhookId: Uint8Array; now: number; limit: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries
          SET status = ${CANCELLED}, due_at = NULL, step_due_at = NULL, finished_at = ${page.now}
          WHERE place IN (SELECT place FROM deliveries
            WHERE lane = (SELECT lane FROM delivery_lanes WHERE webhook_id = ${page.webhookId}) AND status = ${PENDING}
            ORDER BY due_at, place LIMIT ${page.limit} FOR UPDATE)`,
      ),
    ),
  }
}
