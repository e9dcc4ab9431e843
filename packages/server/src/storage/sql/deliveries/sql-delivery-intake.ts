import type { EventId, WebhookId } from '@spoor/contract/ids'
import type { Insertable } from 'kysely'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { StaleLeaseError, type LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { ContentOwner, DeliveryIntake, NewEvent } from '../../../ports/webhooks/delivery-intake.ts'
import { locking } from '../kit/dialect-sql.ts'
import { allParts, runParts } from '../kit/list-statement.ts'
import { insertRows } from '../kit/many-rows.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import { currentLeaseOn } from '../leases/current-lease.ts'
import type { LeaseTables } from '../leases/lease-tables.ts'
import { statusCode, typeCode } from './delivery-codes.ts'
import { deleteBareEventsOn } from './delivery-sql.ts'
import type { DeliveryStateRow, DeliveryTables, LaneRow } from './delivery-tables.ts'
import type { DurableState } from './durable-state.ts'
import { Places } from './places.ts'

type NewRow = Insertable<DeliveryTables['deliveries']>
type NewEventRow = Insertable<DeliveryTables['delivery_events']>
type NewLaneRow = Insertable<DeliveryTables['delivery_lanes']>

interface DeliveryIntakeOptions {
  /** The dispatcher's: each write belongs to it and rejects with StaleLeaseError once another has taken it. */
  readonly lease: LeaseEpoch | null
  /** Null: commits of the database are durable. */
  readonly durable: DurableState | null
  /** Whether deletions of traces are in the same database, and may be committed while their events are read. */
  readonly checksDeletions: boolean
}

/** Turns events into deliveries. Writers wait for each other at the row of `delivery_state`, which gives out places. */
export class SqlDeliveryIntake extends storeOn(intakeStatementsOn) implements DeliveryIntake {
  readonly #options: DeliveryIntakeOptions

  /** @param database with `readCommitted` transactions if it is PostgreSQL */
  constructor(database: SqlDatabase<DeliveryTables>, options: DeliveryIntakeOptions) {
    super(database)
    this.#options = options
  }

  async position(): Promise<number | null> {
    const { durable } = this.#options
    if (durable !== null) return durable.position
    return (await this.database.read(this.sql.readState({})))[0]?.position ?? null
  }

  add(events: readonly NewEvent[], position: number | null): Promise<void> {
    return this.#write(events, (stored) => (position === null ? stored : Math.max(stored ?? 0, position)))
  }

  setPosition(position: number): Promise<void> {
    return this.#write([], () => position)
  }

  async #write(events: readonly NewEvent[], positionAfter: (stored: number | null) => number | null): Promise<void> {
    const state = await this.database.write(() => this.#add(events, positionAfter))
    await this.#options.durable?.reach(state)
  }

  /** Returns the state after it. */
  *#add(events: readonly NewEvent[], positionAfter: (stored: number | null) => number | null): Work<DeliveryStateRow> {
    const { lease } = this.#options
    if (lease !== null && (yield* first(this.sql.currentLease(lease))) === undefined) throw new StaleLeaseError(lease)
    const before = yield* first(this.sql.lockState({}))
    if (before === undefined) throw new Error('the state of deliveries is missing')
    const deleted = yield* this.#deletedAmong(events)
    const wanted = events.filter(
      ({ deliveries, contentOf }) => deliveries.length > 0 && (contentOf === null || !deleted.has(contentOf)),
    )
    const state = { ...(yield* this.#insert(wanted, before)), position: positionAfter(before.position) }
    yield* run(this.sql.writeState(state))
    return state
  }

  /** A trace may have been deleted since the caller read it; what is dispatched later would stay. */
  *#deletedAmong(events: readonly NewEvent[]): Work<ReadonlySet<ContentOwner>> {
    if (!this.#options.checksDeletions) return new Set()
    const owners = new Set(events.flatMap(({ contentOf }) => contentOf ?? []))
    const rows = yield* allParts(this.sql.deletedAmong([...owners].map(idToBytes), {}))
    return new Set(rows.map((row) => idFromBytes('tr', row.trace_id)))
  }

  *#insert(events: readonly NewEvent[], state: DeliveryStateRow): Work<DeliveryStateRow> {
    let { last_place, place_lead } = state
    if (events.length === 0) return state
    const numbers = yield* this.#insertEvents(events)
    const lanes = yield* this.#lanesOf(events)
    const rows: NewRow[] = []
    for (const { id: eventId, type, createdAt, dueAt, deliveries } of events) {
      for (const { id, webhookId } of deliveries) {
        last_place = Places.next(last_place, createdAt)
        place_lead = Math.max(place_lead, Places.leadOf(last_place, createdAt))
        const [lane, event] = [lanes.get(webhookId), numbers.get(eventId)]
        if (lane === undefined || event === undefined) throw new Error('a delivery has lost its lane or event')
        const times = { created_at: createdAt, due_at: dueAt, schedule_started_at: dueAt }
        const progress = { status: statusCode('pending'), step: 0, attempts: 0, leases: 0 }
        rows.push({ place: last_place, id: idToBytes(id), lane, event, type: typeCode(type), ...times, ...progress })
      }
    }
    const inserted = yield* runParts(this.sql.insertDeliveries(rows))
    // The deliveries of a repeated event exist, unless they were removed with the event.
    if (inserted < rows.length) yield* runParts(this.sql.deleteBareEvents([...numbers.values()], {}))
    return { ...state, last_place, place_lead }
  }

  /** The numbers of their rows, which are inserted if they do not exist. */
  *#insertEvents(events: readonly NewEvent[]): Work<ReadonlyMap<EventId, number>> {
    // PostgreSQL refuses a statement that has an id twice.
    const byId = new Map(events.map((event) => [event.id, event]))
    const rows = [...byId.values()].map((event) => ({
      id: idToBytes(event.id),
      project_id: idToBytes(event.projectId),
      type: typeCode(event.type),
      created_at: event.createdAt,
      body: event.body,
      content_of: event.contentOf,
    }))
    const stored = yield* allParts(this.sql.insertEvents(rows))
    return new Map(stored.map((row) => [idFromBytes('evt', row.id), row.event]))
  }

  *#lanesOf(events: readonly NewEvent[]): Work<ReadonlyMap<WebhookId, number>> {
    const wanted = new Set(events.flatMap(({ deliveries }) => deliveries.map(({ webhookId }) => webhookId)))
    const ids = [...wanted].toSorted().map(idToBytes)
    const find = this.sql.lockLanes(ids, {})
    let rows = yield* allParts(find)
    if (rows.length < ids.length) {
      yield* runParts(this.sql.insertLanes(ids.map((id) => ({ webhook_id: id, failures_in_a_row: 0 }))))
      rows = yield* allParts(find)
    }
    return new Map(rows.map((row) => [idFromBytes('wh', row.webhook_id), row.lane]))
  }
}

export function intakeStatementsOn(database: SqlDatabase<DeliveryTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    currentLease: currentLeaseOn(database.withTables<LeaseTables>()),
    readState: query<object, DeliveryStateRow>(STATE),
    lockState: query<object, DeliveryStateRow>(`${STATE} ${locking(database, 'FOR UPDATE')}`),
    writeState: query<DeliveryStateRow>(
      'UPDATE delivery_state SET position = :position, last_place = :last_place, place_lead = :place_lead',
    ),
    deletedAmong: listQuery<Uint8Array, { trace_id: Uint8Array }>(
      'SELECT trace_id FROM deleted_traces WHERE trace_id IN (:values)',
    ),
    /** The lock keeps a lane from being removed before the transaction has added to it. */
    lockLanes: listQuery<Uint8Array, Pick<LaneRow, 'webhook_id'> & { lane: number }>(`SELECT lane, webhook_id
      FROM delivery_lanes WHERE webhook_id IN (:values) ORDER BY lane ${locking(database, 'FOR KEY SHARE')}`),
    insertLanes: insertRows(database, (queries, rows: readonly NewLaneRow[]) =>
      queries
        .insertInto('delivery_lanes')
        .values(rows)
        .onConflict((conflict) => conflict.column('webhook_id').doNothing()),
    ),
    deleteBareEvents: deleteBareEventsOn(database),
    /** Existing ones stay as they are; the lock of the update keeps them from being removed. */
    insertEvents: insertRows(database, (queries, rows: readonly NewEventRow[]) =>
      queries
        .insertInto('delivery_events')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({ type: ref('delivery_events.type') })),
        )
        .returning(['event', 'id']),
    ),
    insertDeliveries: insertRows(database, (queries, rows: readonly NewRow[]) =>
      queries
        .insertInto('deliveries')
        .values(rows)
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
  }
}

const STATE = 'SELECT position, last_place, place_lead FROM delivery_state'
