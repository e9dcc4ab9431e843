import { sql } from 'kysely'
import type { ContentOwner } from '../../../ports/webhooks/delivery-intake.ts'
import { indexedBy, locking } from '../kit/dialect-sql.ts'
import { listStatement } from '../kit/list-statement.ts'
import { raw } from '../kit/raw-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { ListedRow } from './delivery-row.ts'
import { deleteBareEventsOn, FAILED, isFree, NO_LEASE, PENDING } from './delivery-sql.ts'
import type { DeliveryTables } from './delivery-tables.ts'

const NO_BODY = new Uint8Array()

const LISTED = sql`d.place, d.id, d.type, d.status, d.reason, d.created_at, d.due_at, d.attempts,
  d.last_response_status, d.last_error, d.last_attempt_at, d.finished_at, e.id AS event_id, e.project_id`
/** Of deliveries `d`: those whose event has its body still are due at once, with a new schedule. */
const DUE_AGAIN = sql`status = ${PENDING}, reason = NULL, step = 0, step_due_at = NULL, finished_at = NULL, ${NO_LEASE}`
const HAS_BODY = sql`EXISTS (SELECT 1 FROM delivery_events e WHERE e.event = d.event AND length(e.body) > 0)`

export type LogSql = ReturnType<typeof logStatementsOn>

export function logStatementsOn(database: SqlDatabase<DeliveryTables>) {
  return {
    findLane: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<{ lane: number; place_lead: number }>`SELECT lane, place_lead FROM delivery_lanes, delivery_state
          WHERE webhook_id = ${webhookId}`,
      ),
    ),
    /** The next to lease waits, and so does the next to add. */
    lockLane: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<{ lane: number }>`SELECT lane FROM delivery_lanes WHERE webhook_id = ${webhookId}
          ${locking(database, 'FOR UPDATE')}`,
      ),
    ),
    deleteLane: database.statement((queries, { lane }: { lane: number }) =>
      queries.deleteFrom('delivery_lanes').where('lane', '=', lane),
    ),
    webhookIds: database.statement((queries) => queries.selectFrom('delivery_lanes').select('webhook_id')),
    readRows: listStatement(database, (queries, places: readonly number[]) =>
      raw(
        queries,
        sql<ListedRow>`SELECT ${LISTED} FROM deliveries d JOIN delivery_events e ON e.event = d.event
          WHERE d.place IN (${sql.join(places)}) ORDER BY d.place DESC`,
      ),
    ),
    findRow: database.statement((queries, { id, webhookId }: { id: Uint8Array; webhookId: Uint8Array }) =>
      raw(
        queries,
        sql<ListedRow & { body: Uint8Array }>`SELECT ${LISTED}, e.body
          FROM deliveries d JOIN delivery_events e ON e.event = d.event JOIN delivery_lanes l ON l.lane = d.lane
          WHERE d.id = ${id} AND l.webhook_id = ${webhookId}`,
      ),
    ),
    readAttempts: database.statement((queries, { place }: { place: number }) =>
      queries.selectFrom('delivery_attempts').selectAll().where('delivery', '=', place).orderBy('number'),
    ),
    redeliver: database.statement((queries, { place, now }: { place: number; now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries AS d SET due_at = ${now}, schedule_started_at = ${now}, ${DUE_AGAIN}
          WHERE place = ${place} AND ${isFree(now)} AND ${HAS_BODY}`,
      ),
    ),
    redeliverFailed: listStatement(database, (queries, places: readonly number[], { now }: { now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries AS d SET due_at = ${now}, schedule_started_at = ${now}, ${DUE_AGAIN}
          WHERE place IN (${sql.join(places)}) AND status = ${FAILED} AND ${isFree(now)} AND ${HAS_BODY}`,
      ),
    ),
    lockFinished: database.statement((queries, { before, limit }: { before: number; limit: number }) =>
      raw(
        queries,
        sql<Removed>`SELECT place, event FROM deliveries ${indexedBy(database, 'deliveries_finished')}
          WHERE finished_at IS NOT NULL AND finished_at < ${before}
          ORDER BY finished_at, place LIMIT ${limit} ${locking(database, 'FOR UPDATE SKIP LOCKED')}`,
      ),
    ),
    lockOfLane: database.statement((queries, { lane, limit }: { lane: number; limit: number }) =>
      raw(
        queries,
        sql<Removed>`SELECT place, event FROM deliveries ${indexedBy(database, 'deliveries_by_lane')}
          WHERE lane = ${lane} ORDER BY status, type, place LIMIT ${limit} ${locking(database, 'FOR UPDATE')}`,
      ),
    ),
    deleteAttempts: listStatement(database, (queries, places: readonly number[]) =>
      queries.deleteFrom('delivery_attempts').where('delivery', 'in', places),
    ),
    deleteDeliveries: listStatement(database, (queries, places: readonly number[]) =>
      queries.deleteFrom('deliveries').where('place', 'in', places),
    ),
    lockEvents: listStatement(database, (queries, events: readonly number[]) =>
      raw(
        queries,
        sql`SELECT event FROM delivery_events WHERE event IN (${sql.join(events)})
          ORDER BY event ${locking(database, 'FOR UPDATE')}`,
      ),
    ),
    deleteBareEvents: deleteBareEventsOn(database),
    /** Waits for events that are being added. */
    lockState: database.statement((queries) =>
      raw(queries, sql`SELECT 1 FROM delivery_state ${locking(database, 'FOR UPDATE')}`),
    ),
    clearEvents: listStatement(database, (queries, contents: readonly ContentOwner[], { limit }: { limit: number }) =>
      raw(
        queries,
        sql<{ event: number }>`UPDATE delivery_events SET body = ${NO_BODY}, content_of = NULL
          WHERE event IN (SELECT event FROM delivery_events ${indexedBy(database, 'delivery_events_by_content')}
            WHERE content_of IN (${sql.join(contents)}) LIMIT ${limit} ${locking(database, 'FOR UPDATE')})
          RETURNING event`,
      ),
    ),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    failOfEvents: listStatement(database, (queries, events: readonly number[], { now }: { now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries ${indexedBy(database, 'deliveries_by_event')}
          SET status = ${FAILED}, reason = 'trace_deleted', due_at = NULL, step_due_at = NULL, finished_at = ${now}
          WHERE event IN (${sql.join(events)}) AND status = ${PENDING}`,
      ),
    ),
  }
}

export interface Removed {
  readonly place: number
  readonly event: number
}
