import { sql } from 'kysely'
import { statusCode } from '../deliveries/delivery-codes.ts'
import type { ListedRow } from '../deliveries/delivery-row.ts'
import type { AttemptRow } from '../deliveries/delivery-rows.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { raw } from '../kit/raw-statement.ts'
import { inList, isFree, NO_LEASE, type PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'

const PENDING = sql.lit(statusCode('pending'))
const FAILED = sql.lit(statusCode('failed'))

const LISTED = sql`d.place, d.id, d.type, d.status, d.reason, d.created_at, d.due_at, d.attempts,
  d.last_response_status, d.last_error, d.last_attempt_at, d.finished_at, e.id AS event_id, e.project_id`
/** Of deliveries `d`: those whose event has its body still are due at once, with a new schedule. */
const DUE_AGAIN = sql`status = ${PENDING}, reason = NULL, step = 0, step_due_at = NULL, finished_at = NULL, ${NO_LEASE}`
const HAS_BODY = sql`EXISTS (SELECT 1 FROM delivery_events e WHERE e.event = d.event AND length(e.body) > 0)`

export type LogSql = ReturnType<typeof logStatementsOn>

export function logStatementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
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
      raw(queries, sql<{ lane: number }>`SELECT lane FROM delivery_lanes WHERE webhook_id = ${webhookId} FOR UPDATE`),
    ),
    deleteLane: database.statement((queries, { lane }: { lane: number }) =>
      raw(queries, sql`DELETE FROM delivery_lanes WHERE lane = ${lane}`),
    ),
    webhookIds: database.statement((queries) =>
      raw(queries, sql<{ webhook_id: Uint8Array }>`SELECT webhook_id FROM delivery_lanes`),
    ),
    readRows: database.statement((queries, { places }: { places: string }) =>
      raw(
        queries,
        sql<ListedRow>`SELECT ${LISTED} FROM deliveries d JOIN delivery_events e ON e.event = d.event
          WHERE d.place ${inList(places)} ORDER BY d.place DESC`,
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
      raw(queries, sql<AttemptRow>`SELECT * FROM delivery_attempts WHERE delivery = ${place} ORDER BY number`),
    ),
    redeliver: database.statement((queries, { place, now }: { place: number; now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries d SET due_at = ${now}, schedule_started_at = ${now}, ${DUE_AGAIN}
          WHERE place = ${place} AND ${isFree(now)} AND ${HAS_BODY}`,
      ),
    ),
    redeliverFailed: database.statement((queries, { places, now }: { places: string; now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries d SET due_at = ${now}, schedule_started_at = ${now}, ${DUE_AGAIN}
          WHERE place ${inList(places)} AND status = ${FAILED} AND ${isFree(now)} AND ${HAS_BODY}`,
      ),
    ),
    lockFinished: database.statement((queries, { before, limit }: { before: number; limit: number }) =>
      raw(
        queries,
        sql<Removed>`SELECT place, event FROM deliveries WHERE finished_at IS NOT NULL AND finished_at < ${before}
          ORDER BY finished_at, place LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
      ),
    ),
    lockOfLane: database.statement((queries, { lane, limit }: { lane: number; limit: number }) =>
      raw(
        queries,
        sql<Removed>`SELECT place, event FROM deliveries WHERE lane = ${lane} ORDER BY place LIMIT ${limit} FOR UPDATE`,
      ),
    ),
    deleteAttempts: database.statement((queries, { places }: { places: string }) =>
      raw(queries, sql`DELETE FROM delivery_attempts WHERE delivery ${inList(places)}`),
    ),
    deleteDeliveries: database.statement((queries, { places }: { places: string }) =>
      raw(queries, sql`DELETE FROM deliveries WHERE place ${inList(places)}`),
    ),
    lockEvents: database.statement((queries, { events }: { events: string }) =>
      raw(queries, sql`SELECT event FROM delivery_events WHERE event ${inList(events)} ORDER BY event FOR UPDATE`),
    ),
    deleteBareEvents: database.statement((queries, { events }: { events: string }) =>
      raw(
        queries,
        sql`DELETE FROM delivery_events e WHERE event ${inList(events)}
          AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.event)`,
      ),
    ),
    /** Waits for events that are being added. */
    lockState: database.statement((queries) => raw(queries, sql`SELECT 1 FROM delivery_state FOR UPDATE`)),
    clearEvents: database.statement((queries, { traceIds, limit }: { traceIds: string; limit: number }) =>
      raw(
        queries,
        sql<{ event: number }>`UPDATE delivery_events SET body = '', trace_id = NULL
          WHERE event IN (SELECT event FROM delivery_events
            WHERE trace_id = ANY (string_to_array(${traceIds}, ',')) ORDER BY event LIMIT ${limit} FOR UPDATE)
          RETURNING event`,
      ),
    ),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    failOfEvents: database.statement((queries, { events, now }: { events: string; now: number }) =>
      raw(
        queries,
        sql`UPDATE deliveries SET status = ${FAILED}, reason = 'trace_deleted', due_at = NULL, step_due_at = NULL,
            finished_at = ${now}
          WHERE event ${inList(events)} AND status = ${PENDING}`,
      ),
    ),
  }
}

export interface Removed {
  readonly place: number
  readonly event: number
}
