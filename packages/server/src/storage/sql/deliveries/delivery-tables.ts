import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { type DeliveryStatements, prepareDeliveries } from './delivery-statements.ts'
import { StoredLanes } from './stored-lanes.ts'
import { DeliveryLeases } from './delivery-leases.ts'
import { Places } from './places.ts'
import type { WriteAheadFlush } from './write-ahead-flush.ts'

/** The present state of a delivery. */
export interface DeliveryState {
  readonly place: number
  readonly lane: number
  readonly status: number
  readonly attempts: number
}

/**
 * The tables of deliveries and the state of them in memory, shared by queue, intake and log. Memory changes after a
 * transaction is committed, never in it.
 */
export class DeliveryTables {
  readonly sql: DeliveryStatements
  readonly lanes: StoredLanes
  readonly leases: DeliveryLeases
  readonly places: Places
  /** Number of pending deliveries. */
  pending: number
  /** The durable position. */
  position: number | null
  /** Deliveries up to this place are durable; those after it cannot be leased. */
  durablePlace: number
  readonly #database: DatabaseSync
  readonly #flush: Pick<WriteAheadFlush, 'flush'>
  readonly #onReadError: OnReadError

  /** @param flush has already made the content of the tables durable */
  constructor(database: DatabaseSync, flush: Pick<WriteAheadFlush, 'flush'>, onReadError: OnReadError) {
    this.#database = database
    this.#flush = flush
    this.#onReadError = onReadError
    this.sql = prepareDeliveries(database)
    const state = this.sql.readState.get()
    this.position = (state?.['position'] ?? null) as number | null
    this.places = new Places(Number(this.sql.lastPlace.get()?.['place'] ?? 0), Number(state?.['place_lead'] ?? 0))
    this.durablePlace = this.places.last
    this.lanes = new StoredLanes(this.sql, () => this.durablePlace)
    this.leases = new DeliveryLeases(this.lanes)
    this.pending = Number(this.sql.countPending.get()?.['count'])
  }

  write<T>(work: () => T): T {
    return runAtomically(this.#database, work)
  }

  /** Resolves when earlier writes are durable. Rejects as described in DeliveryIntake. */
  flush(): Promise<void> {
    return this.#flush.flush()
  }

  read<T>(work: () => T): T {
    return readOrRefuse(work, this.#onReadError)
  }

  /** Prepares a statement whose text depends on the query. */
  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql)
  }

  /** Returns at most `mostPages` free pages at the end of the file to the file system. */
  shrink(mostPages: number): void {
    this.write(() => this.#database.exec(`PRAGMA incremental_vacuum(${mostPages})`))
  }

  freePages(): { readonly free: number; readonly pages: number } {
    const row = this.sql.countPages.get()
    return { free: Number(row?.['free']), pages: Number(row?.['pages']) }
  }
}

export function toDeliveryState(row: Record<string, unknown> | undefined): DeliveryState | undefined {
  if (row === undefined) return undefined
  const { place, lane, status, attempts } = row
  return { place: place as number, lane: lane as number, status: status as number, attempts: attempts as number }
}
