import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { type DeliveryStatements, prepareDeliveries } from './delivery-statements.ts'
import { StoredLanes } from './stored-lanes.ts'
import { DeliveryLeases } from './delivery-leases.ts'
import { Places } from './places.ts'
import type { WriteAheadFlush } from './write-ahead-flush.ts'

/** A delivery as a change finds it. */
export interface DeliveryStanding {
  readonly place: number
  readonly lane: number
  readonly status: number
  readonly attempts: number
}

/** The tables of deliveries and what memory knows of them, shared by queue, intake and log. Memory is changed once a transaction is there, never in it. */
export class DeliveryTables {
  readonly sql: DeliveryStatements
  readonly lanes: StoredLanes
  readonly leases: DeliveryLeases
  readonly places: Places
  /** Deliveries pending. */
  pending: number
  /** As it is on the disk. */
  position: number | null
  /** Deliveries up to this place are on the disk; those behind it are leased to nobody. */
  durablePlace: number
  readonly #database: DatabaseSync
  readonly #flush: Pick<WriteAheadFlush, 'flush'>
  readonly #onReadError: OnReadError

  /** @param flush has made durable what the tables hold */
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

  /** Resolves when what was written before is on the disk. Rejects as DeliveryIntake says. */
  flush(): Promise<void> {
    return this.#flush.flush()
  }

  read<T>(work: () => T): T {
    return readOrRefuse(work, this.#onReadError)
  }

  /** A statement whose text depends on what is asked. */
  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql)
  }

  /** Gives at most so many free pages at the end of the file back to the file system. */
  shrink(mostPages: number): void {
    this.write(() => this.#database.exec(`PRAGMA incremental_vacuum(${mostPages})`))
  }

  freePages(): { readonly free: number; readonly pages: number } {
    const row = this.sql.countPages.get()
    return { free: Number(row?.['free']), pages: Number(row?.['pages']) }
  }
}

export function toStanding(row: Record<string, unknown> | undefined): DeliveryStanding | undefined {
  if (row === undefined) return undefined
  const { place, lane, status, attempts } = row
  return { place: place as number, lane: lane as number, status: status as number, attempts: attempts as number }
}
