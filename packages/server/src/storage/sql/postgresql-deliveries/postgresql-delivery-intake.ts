import type { TraceId, WebhookId } from '@spoor/contract/ids'
import { type RawBuilder, sql } from 'kysely'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { StaleLeaseError, type LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { DeliveryIntake, NewEvent } from '../../../ports/webhooks/delivery-intake.ts'
import { statusCode, typeCode } from '../deliveries/delivery-codes.ts'
import { Places } from '../deliveries/places.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { raw } from '../kit/raw-statement.ts'
import { all, first, run, type BoundStatement, type Work } from '../kit/sql-database.ts'
import { currentLeaseOn } from '../leases/current-lease.ts'
import type { LeaseTables } from '../leases/lease-tables.ts'
import type { PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'

const PENDING = statusCode('pending')
/** Rows in one statement: PostgreSQL takes 65,535 parameters. */
const MOST_ROWS = 1000

interface StateRow {
  readonly position: number | null
  readonly last_place: number
  readonly place_lead: number
}

interface NewRow {
  readonly place: number
  readonly id: Uint8Array
  readonly lane: number
  readonly event: number
  readonly type: number
  readonly createdAt: number
  readonly dueAt: number
}

/**
 * Turns events into deliveries. Writers wait for each other at the row of `delivery_state`, which gives out places. With
 * a lease, each write belongs to it and rejects with StaleLeaseError once another has taken it.
 */
export class PostgresqlDeliveryIntake implements DeliveryIntake {
  readonly #database: PostgresqlDatabase<PostgresqlDeliveryTables>
  readonly #lease: LeaseEpoch | null
  readonly #sql: ReturnType<typeof statementsOn>

  /** @param database with `readCommitted` transactions */
  constructor(database: PostgresqlDatabase<PostgresqlDeliveryTables>, lease: LeaseEpoch | null) {
    this.#database = database
    this.#lease = lease
    this.#sql = statementsOn(database)
  }

  async position(): Promise<number | null> {
    return (await this.#database.read(this.#sql.readState({})))[0]?.position ?? null
  }

  add(events: readonly NewEvent[], position: number | null): Promise<void> {
    return this.#database.write(() => this.#add(events, position))
  }

  setPosition(position: number): Promise<void> {
    const sqlOf = this.#sql
    const check = () => this.#checkLease()
    return this.#database.write(function* (): Work<void> {
      yield* check()
      yield* run(sqlOf.setPosition({ position }))
    })
  }

  *#checkLease(): Work<void> {
    const lease = this.#lease
    if (lease !== null && (yield* first(this.#sql.currentLease(lease))) === undefined) throw new StaleLeaseError(lease)
  }

  *#add(events: readonly NewEvent[], position: number | null): Work<void> {
    yield* this.#checkLease()
    const state = yield* first(this.#sql.lockState({}))
    if (state === undefined) throw new Error('the state of deliveries is missing')
    const deleted = yield* this.#deletedAmong(events)
    const wanted = events.filter(
      ({ deliveries, traceId }) => deliveries.length > 0 && (traceId === null || !deleted.has(traceId)),
    )
    const { last, leadMs } = yield* this.#insert(wanted, state)
    yield* run(this.#sql.writeState({ last, leadMs, position }))
  }

  /** A trace may have been deleted since the caller read it; what is dispatched later would stay. */
  *#deletedAmong(events: readonly NewEvent[]): Work<ReadonlySet<TraceId>> {
    const byBytes = new Map<string, TraceId>()
    for (const { traceId } of events) if (traceId !== null) byBytes.set(hexOf(idToBytes(traceId)), traceId)
    const deleted = new Set<TraceId>()
    if (byBytes.size === 0) return deleted
    for (const row of yield* all(this.#sql.deletedAmong({ traceIds: [...byBytes.keys()].join() }))) {
      deleted.add(byBytes.get(hexOf(row.trace_id)) as TraceId)
    }
    return deleted
  }

  *#insert(events: readonly NewEvent[], state: StateRow): Work<{ readonly last: number; readonly leadMs: number }> {
    let [last, leadMs] = [state.last_place, state.place_lead]
    if (events.length === 0) return { last, leadMs }
    const numbers = yield* this.#insertEvents(events)
    const lanes = yield* this.#lanesOf(events)
    const rows: NewRow[] = []
    for (const { id: eventId, type, createdAt, dueAt, deliveries } of events) {
      for (const { id, webhookId } of deliveries) {
        last = Places.next(last, createdAt)
        leadMs = Math.max(leadMs, Places.leadOf(last, createdAt))
        const [lane, event] = [lanes.get(webhookId), numbers.get(eventId)]
        if (lane === undefined || event === undefined) throw new Error('a delivery has lost its lane or event')
        rows.push({ place: last, id: idToBytes(id), lane, event, type: typeCode(type), createdAt, dueAt })
      }
    }
    for (const part of partsOf(rows)) yield* run(this.#sql.insertDeliveries(part))
    // An event all of whose deliveries exist for others already has some; one that has none was only repeated.
    yield* run(this.#sql.deleteBareEvents({ events: [...numbers.values()].join() }))
    return { last, leadMs }
  }

  /** The numbers of their rows, which are inserted if they do not exist. */
  *#insertEvents(events: readonly NewEvent[]): Work<ReadonlyMap<string, number>> {
    const byId = new Map(events.map((event) => [hexOf(idToBytes(event.id)), event]))
    const numbers = new Map<string, number>()
    for (const part of partsOf([...byId.values()])) {
      for (const row of yield* all(this.#sql.insertEvents(part))) {
        const event = byId.get(hexOf(row.id))
        if (event !== undefined) numbers.set(event.id, row.event)
      }
    }
    return numbers
  }

  *#lanesOf(events: readonly NewEvent[]): Work<ReadonlyMap<WebhookId, number>> {
    const byBytes = new Map<string, WebhookId>()
    for (const { deliveries } of events) {
      for (const { webhookId } of deliveries) byBytes.set(hexOf(idToBytes(webhookId)), webhookId)
    }
    const webhookIds = [...byBytes.keys()].toSorted().join()
    const find = this.#sql.lockLanes({ webhookIds })
    const lanes = new Map<WebhookId, number>()
    const keep = (rows: readonly { readonly lane: number; readonly webhook_id: Uint8Array }[]) => {
      for (const row of rows) lanes.set(byBytes.get(hexOf(row.webhook_id)) as WebhookId, row.lane)
    }
    keep(yield* all(find))
    if (lanes.size === byBytes.size) return lanes
    yield* run(this.#sql.insertLanes({ webhookIds }))
    keep(yield* all(find))
    return lanes
  }
}

function statementsOn(database: PostgresqlDatabase<PostgresqlDeliveryTables>) {
  return {
    currentLease: currentLeaseOn(database.withTables<LeaseTables>()),
    readState: database.statement((queries) =>
      raw(queries, sql<StateRow>`SELECT position, last_place, place_lead FROM delivery_state`),
    ),
    lockState: database.statement((queries) =>
      raw(queries, sql<StateRow>`SELECT position, last_place, place_lead FROM delivery_state FOR UPDATE`),
    ),
    /** A null position leaves it as it is. */
    writeState: database.statement((queries, state: { last: number; leadMs: number; position: number | null }) =>
      raw(
        queries,
        sql`UPDATE delivery_state SET last_place = ${state.last}, place_lead = ${state.leadMs},
          position = greatest(position, ${state.position}::bigint)`,
      ),
    ),
    setPosition: database.statement((queries, { position }: { position: number }) =>
      raw(queries, sql`UPDATE delivery_state SET position = ${position}`),
    ),
    deletedAmong: database.statement((queries, { traceIds }: { traceIds: string }) =>
      raw(
        queries,
        sql<{ trace_id: Uint8Array }>`SELECT trace_id FROM deleted_traces WHERE trace_id IN ${bytesIn(traceIds)}`,
      ),
    ),
    /** Its lock keeps a lane from being removed before the transaction has added to it. */
    lockLanes: database.statement((queries, { webhookIds }: { webhookIds: string }) =>
      raw(
        queries,
        sql<{ lane: number; webhook_id: Uint8Array }>`SELECT lane, webhook_id FROM delivery_lanes
          WHERE webhook_id IN ${bytesIn(webhookIds)} ORDER BY lane FOR KEY SHARE`,
      ),
    ),
    insertLanes: database.statement((queries, { webhookIds }: { webhookIds: string }) =>
      raw(
        queries,
        sql`INSERT INTO delivery_lanes (webhook_id, failures_in_a_row)
          SELECT one, 0 FROM ${bytesIn(webhookIds)} AS wanted (one) ON CONFLICT (webhook_id) DO NOTHING`,
      ),
    ),
    deleteBareEvents: database.statement((queries, { events }: { events: string }) =>
      raw(
        queries,
        sql`DELETE FROM delivery_events e WHERE event = ANY (string_to_array(${events}, ',')::bigint[])
          AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.event)`,
      ),
    ),
    /** Existing ones stay as they are; the lock keeps them from being removed. */
    insertEvents: (events: readonly NewEvent[]): BoundStatement<{ event: number; id: Uint8Array }> =>
      database.bound((queries) => {
        const rows = events.map(
          (event) =>
            sql`(${idToBytes(event.id)}::bytea, ${idToBytes(event.projectId)}::bytea, ${typeCode(event.type)}::bigint,
              ${event.createdAt}::bigint, ${event.body}::bytea, ${event.traceId}::text)`,
        )
        return raw(
          queries,
          sql<{ event: number; id: Uint8Array }>`
            INSERT INTO delivery_events AS e (id, project_id, type, created_at, body, trace_id)
            VALUES ${sql.join(rows)} ON CONFLICT (id) DO UPDATE SET type = e.type RETURNING event, id`,
        )
      }),
    insertDeliveries: (rows: readonly NewRow[]): BoundStatement =>
      database.bound((queries) =>
        queries
          .insertInto('deliveries')
          .values(
            rows.map((row) => ({
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
            })),
          )
          .onConflict((conflict) => conflict.column('id').doNothing()),
      ),
  }
}

/** Members of a list of bytes, bound as one text of hexadecimal digits: `0a,0b`. */
function bytesIn(hexadecimal: string): RawBuilder<unknown> {
  return sql`(SELECT decode(digits, 'hex') FROM unnest(string_to_array(${hexadecimal}, ',')) AS listed (digits))`
}

function partsOf<T>(rows: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let from = 0; from < rows.length; from += MOST_ROWS) parts.push(rows.slice(from, from + MOST_ROWS))
  return parts
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
