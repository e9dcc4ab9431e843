import { type Expression, sql } from 'kysely'
import { indexedTable, larger } from '../kit/dialect-sql.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { statusCode } from './delivery-codes.ts'
import type { AttemptRow, DeliveryRows } from './delivery-rows.ts'

export type DeliveryStatements = ReturnType<typeof deliveryStatementsOn>

/** A literal: SQLite uses a partial index only if its condition is known when the statement is compiled. */
const PENDING = sql.lit(statusCode('pending'))
const NO_BODY = new Uint8Array()

/** Every statement about deliveries, except those of place-query.ts. */
export function deliveryStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    ...stateStatementsOn(database),
    ...eventStatementsOn(database),
    ...queueStatementsOn(database),
    ...timeStatementsOn(database),
    ...attemptStatementsOn(database),
    ...logStatementsOn(database),
  }
}

function stateStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    readState: database.statement((queries) => queries.selectFrom('state').select(['position', 'place_lead'])),
    raisePosition: database.statement((queries, { position }: { position: number }) =>
      queries
        .updateTable('state')
        .set(({ fn, lit }) => ({ position: larger(database, fn.coalesce('position', lit(0)), position) })),
    ),
    setPosition: database.statement((queries, { position }: { position: number }) =>
      queries.updateTable('state').set({ position }),
    ),
    setPlaceLead: database.statement((queries, { leadMs }: { leadMs: number }) =>
      queries.updateTable('state').set({ place_lead: leadMs }),
    ),
    readLanes: database.statement((queries) =>
      queries.selectFrom('lanes').select(['lane', 'webhook_id', 'failing_since', 'failures_in_a_row']),
    ),
    insertLane: database.statement((queries, { webhookId }: { webhookId: Uint8Array }) =>
      queries.insertInto('lanes').values({ webhook_id: webhookId, failures_in_a_row: 0 }).returning('lane'),
    ),
    setHealth: database.statement((queries, health: Health) =>
      queries
        .updateTable('lanes')
        .set({ failing_since: health.failingSince, failures_in_a_row: health.failuresInARow })
        .where('lane', '=', health.lane),
    ),
    deleteLane: database.statement((queries, { lane }: { lane: number }) =>
      queries.deleteFrom('lanes').where('lane', '=', lane),
    ),
  }
}

interface Health {
  readonly lane: number
  readonly failingSince: number | null
  readonly failuresInARow: number
}

interface NewEventRow {
  readonly id: Uint8Array
  readonly projectId: Uint8Array
  readonly type: number
  readonly createdAt: number
  readonly body: Uint8Array
  readonly traceId: string | null
}

function eventStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    findEvent: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries.selectFrom('events').select('event').where('id', '=', id),
    ),
    /** Returns no row if the event exists. */
    insertEvent: database.statement((queries, row: NewEventRow) =>
      queries
        .insertInto('events')
        .values({
          id: row.id,
          project_id: row.projectId,
          type: row.type,
          created_at: row.createdAt,
          deliveries: 0,
          body: row.body,
          trace_id: row.traceId,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('event'),
    ),
    addToEvent: database.statement((queries, { event, count }: { event: number; count: number }) =>
      queries
        .updateTable('events')
        .set(({ eb }) => ({ deliveries: eb('deliveries', '+', count) }))
        .where('event', '=', event),
    ),
    eventsOfTrace: database.statement((queries, { traceId, limit }: { traceId: string; limit: number }) =>
      queries
        .selectFrom(indexedTable(database, 'events', 'events_by_trace'))
        .select('event')
        .where('trace_id', '=', traceId)
        .limit(limit),
    ),
    clearEvent: database.statement((queries, { event }: { event: number }) =>
      queries.updateTable('events').set({ body: NO_BODY, trace_id: null }).where('event', '=', event),
    ),
    deleteBareEvent: database.statement((queries, { event }: { event: number }) =>
      queries.deleteFrom('events').where('event', '=', event).where('deliveries', '<=', sql.lit(0)),
    ),
  }
}

interface NewDeliveryRow {
  readonly place: number
  readonly id: Uint8Array
  readonly lane: number
  readonly event: number
  readonly type: number
  readonly createdAt: number
  readonly dueAt: number
}

function queueStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    lastPlace: database.statement((queries) =>
      queries.selectFrom('deliveries').select(({ fn }) => fn.max<number | null>('place').as('place')),
    ),
    countPending: database.statement((queries) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_by_start'))
        .select(({ fn }) => fn.countAll().as('count'))
        .where('status', '=', PENDING),
    ),
    insertDelivery: database.statement((queries, row: NewDeliveryRow) =>
      queries
        .insertInto('deliveries')
        .values({
          place: row.place,
          id: row.id,
          lane: row.lane,
          event: row.event,
          type: row.type,
          status: PENDING,
          created_at: row.createdAt,
          due_at: row.dueAt,
          schedule_started_at: row.dueAt,
          step: 0,
          attempts: 0,
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
    deleteDelivery: database.statement((queries, { place }: { place: number }) =>
      queries.deleteFrom('deliveries').where('place', '=', place),
    ),
    findPlace: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries.selectFrom('deliveries').select(['place', 'lane', 'status', 'attempts']).where('id', '=', id),
    ),
    firstPending: database.statement((queries, { lane, throughPlace, limit }: LanePage) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_due'))
        .select(['place', 'due_at'])
        .where('lane', '=', lane)
        .where('status', '=', PENDING)
        .where('place', '<=', throughPlace)
        .orderBy('due_at')
        .orderBy('place')
        .limit(limit),
    ),
    readDue: database.statement((queries, { place }: { place: number }) =>
      queries
        .selectFrom('deliveries')
        .innerJoin('events', 'events.event', 'deliveries.event')
        .select([
          'deliveries.id',
          'deliveries.type',
          'deliveries.attempts',
          'deliveries.schedule_started_at',
          'deliveries.step',
          'deliveries.step_due_at',
          'events.id as event_id',
          'events.body',
        ])
        .where('deliveries.place', '=', place),
    ),
    pendingOfEvent: database.statement((queries, { event }: { event: number }) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_by_event'))
        .select(['place', 'lane'])
        .where('event', '=', event)
        .where('status', '=', PENDING),
    ),
  }
}

interface LanePage {
  readonly lane: number
  readonly throughPlace: number
  readonly limit: number
}

interface TimesPage {
  readonly startedAt: number
  readonly place: number
  readonly limit: number
}

interface NewTimes {
  readonly place: number
  readonly dueAt: number
  readonly startedAt: number
  readonly stepDueAt: number | null
}

function timeStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    triedBefore: database.statement((queries, { startedBefore, limit }: { startedBefore: number; limit: number }) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_tried'))
        .select(['place', 'lane'])
        .where('status', '=', PENDING)
        .where(({ eb, or }) => or([eb('step', '>', sql.lit(0)), eb('step_due_at', 'is not', null)]))
        .where('schedule_started_at', '<', startedBefore)
        .orderBy('schedule_started_at')
        .orderBy('place')
        .limit(limit),
    ),
    readTimes: database.statement((queries, { startedAt, place, limit }: TimesPage) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_by_start'))
        .select(['place', 'lane', 'due_at', 'schedule_started_at', 'step', 'step_due_at'])
        .where('status', '=', PENDING)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('schedule_started_at', 'place'), '>', tuple(startedAt, place)))
        .orderBy('schedule_started_at')
        .orderBy('place')
        .limit(limit),
    ),
    setTimes: database.statement((queries, { place, dueAt, startedAt, stepDueAt }: NewTimes) =>
      queries
        .updateTable('deliveries')
        .set({ due_at: dueAt, schedule_started_at: startedAt, step_due_at: stepDueAt })
        .where('place', '=', place),
    ),
  }
}

interface LastAttempt {
  readonly place: number
  readonly responseStatus: number | null
  readonly error: string | null
  readonly attemptAt: number
}

interface Move extends LastAttempt {
  readonly status: number
  readonly reason: string | null
  readonly dueAt: number | null
  readonly startedAt: number
  readonly step: number
  readonly stepDueAt: number | null
  readonly finishedAt: number | null
  readonly foundStatus: number
  readonly foundAttempts: number
}

interface Settling {
  readonly place: number
  readonly status: number
  readonly reason: string | null
  readonly finishedAt: number
}

function attemptStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    move: database.statement((queries, move: Move) =>
      queries
        .updateTable('deliveries')
        .set(({ eb, lit }) => ({
          status: move.status,
          reason: move.reason,
          due_at: move.dueAt,
          schedule_started_at: move.startedAt,
          step: move.step,
          step_due_at: move.stepDueAt,
          attempts: eb('attempts', '+', lit(1)),
          last_response_status: move.responseStatus,
          last_error: move.error,
          last_attempt_at: move.attemptAt,
          finished_at: move.finishedAt,
        }))
        .where('place', '=', move.place)
        .where('status', '=', move.foundStatus)
        .where('attempts', '=', move.foundAttempts),
    ),
    recordAttempt: database.statement((queries, last: LastAttempt) =>
      queries
        .updateTable('deliveries')
        .set(({ eb, lit }) => ({
          attempts: eb('attempts', '+', lit(1)),
          last_response_status: last.responseStatus,
          last_error: last.error,
          last_attempt_at: last.attemptAt,
        }))
        .where('place', '=', last.place),
    ),
    insertAttempt: database.statement((queries, row: AttemptRow) =>
      queries.insertInto('attempts').values({
        delivery: row.delivery,
        number: row.number,
        started_at: row.started_at,
        duration_ms: row.duration_ms,
        url: row.url,
        request_headers: row.request_headers,
        response_status: row.response_status,
        response_headers: row.response_headers,
        response_body: row.response_body,
        response_truncated: row.response_truncated,
        error_code: row.error_code,
        error_detail: row.error_detail,
      }),
    ),
    readAttempts: database.statement((queries, { place }: { place: number }) =>
      queries.selectFrom('attempts').selectAll().where('delivery', '=', place).orderBy('number'),
    ),
    deleteAttempts: database.statement((queries, { place }: { place: number }) =>
      queries.deleteFrom('attempts').where('delivery', '=', place),
    ),
    settle: database.statement((queries, { place, status, reason, finishedAt }: Settling) =>
      queries
        .updateTable('deliveries')
        .set({ status, reason, due_at: null, step_due_at: null, finished_at: finishedAt })
        .where('place', '=', place)
        .where('status', '=', PENDING),
    ),
    /** Changes nothing if the event has lost its body. */
    restart: database.statement((queries, { place, now }: { place: number; now: number }) =>
      queries
        .updateTable('deliveries')
        .set({
          status: PENDING,
          reason: null,
          due_at: now,
          schedule_started_at: now,
          step: 0,
          step_due_at: null,
          finished_at: null,
        })
        .where('place', '=', place)
        .where(({ exists, selectFrom, lit }) =>
          exists(
            selectFrom('events')
              .select('events.event')
              .whereRef('events.event', '=', 'deliveries.event')
              .where((eb) => eb(lengthOf(eb.ref('events.body')), '>', lit(0))),
          ),
        ),
    ),
  }
}

/** Bytes of a value, in both dialects. */
function lengthOf(bytes: Expression<Uint8Array>) {
  return sql<number>`length(${bytes})`
}

const ROW = [
  'deliveries.place',
  'deliveries.id',
  'deliveries.type',
  'deliveries.status',
  'deliveries.reason',
  'deliveries.created_at',
  'deliveries.due_at',
  'deliveries.attempts',
  'deliveries.last_response_status',
  'deliveries.last_error',
  'deliveries.last_attempt_at',
  'deliveries.finished_at',
  'events.id as event_id',
  'events.project_id',
] as const

function logStatementsOn(database: SqlDatabase<DeliveryRows>) {
  return {
    readRow: database.statement((queries, { place }: { place: number }) =>
      queries
        .selectFrom('deliveries')
        .innerJoin('events', 'events.event', 'deliveries.event')
        .select(ROW)
        .where('deliveries.place', '=', place),
    ),
    findRow: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries
        .selectFrom('deliveries')
        .innerJoin('events', 'events.event', 'deliveries.event')
        .select(ROW)
        .select(['deliveries.lane', 'events.body'])
        .where('deliveries.id', '=', id),
    ),
    finishedBefore: database.statement((queries, { before, limit }: { before: number; limit: number }) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_finished'))
        .select(['place', 'event'])
        .where('finished_at', 'is not', null)
        .where('finished_at', '<', before)
        .orderBy('finished_at')
        .orderBy('place')
        .limit(limit),
    ),
    ofLane: database.statement((queries, { lane, limit }: { lane: number; limit: number }) =>
      queries
        .selectFrom(indexedTable(database, 'deliveries', 'deliveries_by_lane'))
        .select(['place', 'event', 'status'])
        .where('lane', '=', lane)
        .limit(limit),
    ),
  }
}
