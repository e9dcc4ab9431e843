import type { ContentOwner } from '../../../ports/webhooks/delivery-intake.ts'
import { indexedBy, locking } from '../kit/dialect-sql.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ListedRow } from './delivery-row.ts'
import { deleteBareEventsOn, FAILED, IS_FREE, NO_LEASE, PENDING } from './delivery-sql.ts'
import type { AttemptRow, DeliveryTables } from './delivery-tables.ts'

const LISTED = `d.place, d.id, d.type, d.status, d.reason, d.created_at, d.due_at, d.attempts, d.last_response_status,
  d.last_error, d.last_attempt_at, d.finished_at, e.id AS event_id, e.project_id`
/** Of deliveries `d`: those whose event has its body still are due at once, with a new schedule. */
const DUE_AGAIN = `due_at = :now, schedule_started_at = :now, status = ${PENDING}, reason = NULL, step = 0,
  step_due_at = NULL, finished_at = NULL, ${NO_LEASE}`
const HAS_BODY = 'EXISTS (SELECT 1 FROM delivery_events e WHERE e.event = d.event AND length(e.body) > 0)'

export type LogSql = ReturnType<typeof logStatementsOn>

interface OfWebhook {
  readonly webhookId: Uint8Array
}

export function logStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    findLane: query<OfWebhook, { lane: number; place_lead: number }>(
      'SELECT lane, place_lead FROM delivery_lanes, delivery_state WHERE webhook_id = :webhookId',
    ),
    /** The next to lease waits, and so does the next to add. */
    lockLane: query<OfWebhook, { lane: number }>(
      `SELECT lane FROM delivery_lanes WHERE webhook_id = :webhookId ${locking(database, 'FOR UPDATE')}`,
    ),
    deleteLane: query<{ lane: number }>('DELETE FROM delivery_lanes WHERE lane = :lane'),
    webhookIds: query<object, { webhook_id: Uint8Array }>('SELECT webhook_id FROM delivery_lanes'),
    readRows: listQuery<
      number,
      ListedRow
    >(`SELECT ${LISTED} FROM deliveries d JOIN delivery_events e ON e.event = d.event
      WHERE d.place IN (:values) ORDER BY d.place DESC`),
    findRow: query<OfWebhook & { id: Uint8Array }, ListedRow & { body: Uint8Array }>(`SELECT ${LISTED}, e.body
      FROM deliveries d JOIN delivery_events e ON e.event = d.event JOIN delivery_lanes l ON l.lane = d.lane
      WHERE d.id = :id AND l.webhook_id = :webhookId`),
    readAttempts: query<{ place: number }, AttemptRow>(
      'SELECT * FROM delivery_attempts WHERE delivery = :place ORDER BY number',
    ),
    redeliver: query<{ place: number; now: number }>(
      `UPDATE deliveries AS d SET ${DUE_AGAIN} WHERE place = :place AND ${IS_FREE} AND ${HAS_BODY}`,
    ),
    redeliverFailed: listQuery<number, unknown, { now: number }>(`UPDATE deliveries AS d SET ${DUE_AGAIN}
      WHERE place IN (:values) AND status = ${FAILED} AND ${IS_FREE} AND ${HAS_BODY}`),
    lockFinished: query<{ before: number; limit: number }, Removed>(`SELECT place, event
      FROM deliveries ${indexedBy(database, 'deliveries_finished')}
      WHERE finished_at IS NOT NULL AND finished_at < :before
      ORDER BY finished_at, place LIMIT :limit ${locking(database, 'FOR UPDATE SKIP LOCKED')}`),
    lockOfLane: query<{ lane: number; limit: number }, Removed>(`SELECT place, event
      FROM deliveries ${indexedBy(database, 'deliveries_by_lane')}
      WHERE lane = :lane ORDER BY status, type, place LIMIT :limit ${locking(database, 'FOR UPDATE')}`),
    deleteAttempts: listQuery<number>('DELETE FROM delivery_attempts WHERE delivery IN (:values)'),
    deleteDeliveries: listQuery<number>('DELETE FROM deliveries WHERE place IN (:values)'),
    lockEvents: listQuery<number>(
      `SELECT event FROM delivery_events WHERE event IN (:values) ORDER BY event ${locking(database, 'FOR UPDATE')}`,
    ),
    deleteBareEvents: deleteBareEventsOn(database),
    /** Waits for events that are being added. */
    lockState: query(`SELECT 1 FROM delivery_state ${locking(database, 'FOR UPDATE')}`),
    clearEvents: listQuery<ContentOwner, { event: number }, { limit: number; none: Uint8Array }>(`UPDATE delivery_events
      SET body = :none, content_of = NULL
      WHERE event IN (SELECT event FROM delivery_events ${indexedBy(database, 'delivery_events_by_content')}
        WHERE content_of IN (:values) LIMIT :limit ${locking(database, 'FOR UPDATE')})
      RETURNING event`),
    /** Leased ones keep their leases: their attempts are under way, and count. */
    failOfEvents: listQuery<number, unknown, { now: number }>(`UPDATE deliveries
      ${indexedBy(database, 'deliveries_by_event')}
      SET status = ${FAILED}, reason = 'trace_deleted', due_at = NULL, step_due_at = NULL, finished_at = :now
      WHERE event IN (:values) AND status = ${PENDING}`),
  }
}

export interface Removed {
  readonly place: number
  readonly event: number
}
