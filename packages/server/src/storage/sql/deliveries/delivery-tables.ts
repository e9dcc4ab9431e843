import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { BoundStatement, Work } from '../kit/sql-database.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { freePagesOf, returnFreePages } from '../open-database.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import type { DeliveryRows } from './delivery-rows.ts'
import { type DeliveryStatements, deliveryStatementsOn } from './delivery-statements.ts'
import { StoredLanes } from './stored-lanes.ts'
import { DeliveryLeases } from './delivery-leases.ts'
import { PlaceQuery } from './place-query.ts'
import { Places } from './places.ts'
import type { WriteAheadFlush } from './write-ahead-flush.ts'

/** The stored state of a delivery. */
export interface DeliveryState {
  readonly place: number
  readonly lane: number
  readonly status: number
  readonly attempts: number
}

/**
 * The tables of deliveries and their state in memory, shared by queue, intake and log. Memory changes after a
 * transaction is committed, never in it.
 */
export class DeliveryTables {
  readonly sql: DeliveryStatements
  readonly box: SecretBox
  readonly placeQuery: PlaceQuery
  readonly lanes: StoredLanes
  readonly leases: DeliveryLeases
  readonly places: Places
  /** Number of pending deliveries. */
  pending: number
  /** The durable position. */
  position: number | null
  /** Deliveries up to this place are durable; those after it cannot be leased. */
  durablePlace: number
  readonly #connection: DatabaseSync
  readonly #database: SqliteDatabase<DeliveryRows>
  readonly #flush: Pick<WriteAheadFlush, 'flush'>
  readonly #onReadError: OnReadError

  /** @param flush has already made the content of the tables durable */
  constructor(
    connection: DatabaseSync,
    box: SecretBox,
    flush: Pick<WriteAheadFlush, 'flush'>,
    onReadError: OnReadError,
  ) {
    this.box = box
    this.#connection = connection
    this.#database = new SqliteDatabase(connection, onReadError)
    this.#flush = flush
    this.#onReadError = onReadError
    this.sql = deliveryStatementsOn(this.#database)
    this.placeQuery = new PlaceQuery(this.#database)
    const state = this.first(this.sql.readState({}))
    this.position = state?.position ?? null
    this.places = new Places(this.first(this.sql.lastPlace({}))?.place ?? 0, state?.place_lead ?? 0)
    this.durablePlace = this.places.last
    this.lanes = new StoredLanes(this, () => this.durablePlace)
    this.leases = new DeliveryLeases(this.lanes)
    this.pending = Number(this.first(this.sql.countPending({}))?.count)
  }

  /** Runs `work` in a transaction that is committed when this returns. */
  write<T>(work: () => Work<T>): T {
    return this.#database.writeNow(work)
  }

  /** Resolves when earlier writes are durable. Rejects as described in DeliveryIntake. */
  flush(): Promise<void> {
    return this.#flush.flush()
  }

  all<Row>(statement: BoundStatement<Row>): readonly Row[] {
    return this.#database.readNow(statement)
  }

  first<Row>(statement: BoundStatement<Row>): Row | undefined {
    return this.#database.firstNow(statement)
  }

  /** Rows as arrays of their values, for the two statements that are read for each delivery. */
  tuples(statement: BoundStatement): readonly (readonly unknown[])[] {
    return this.#database.tuplesNow(statement)
  }

  firstTuple(statement: BoundStatement): readonly unknown[] | undefined {
    return this.#database.firstTupleNow(statement)
  }

  /** Returns at most `mostPages` free pages at the end of the file to the file system. */
  shrink(mostPages: number): void {
    runAtomically(this.#connection, () => returnFreePages(this.#connection, mostPages))
  }

  freePages(): { readonly free: number; readonly pages: number } {
    return readOrRefuse(() => freePagesOf(this.#connection), this.#onReadError)
  }
}
