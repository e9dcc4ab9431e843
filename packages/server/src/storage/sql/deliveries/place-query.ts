import type { SelectQueryBuilder } from 'kysely'
import { indexedTable } from '../kit/dialect-sql.ts'
import type { BoundStatement, SqlDatabase, Statement } from '../kit/sql-database.ts'
import { ALL_STATUS_CODES, ALL_TYPE_CODES } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'

interface Bounds {
  readonly lane: number
  /** Inclusive. */
  readonly fromPlace: number
  /** Exclusive. */
  readonly beforePlace: number
  /** Bounds on `created_at`; start inclusive, end exclusive. */
  readonly startTime: number
  readonly endTime: number
  readonly limit: number
}

export interface PlaceRange extends Bounds {
  /** Codes; null: all. */
  readonly status: number | null
  readonly type: number | null
  readonly order: 'asc' | 'desc'
}

interface Place {
  readonly place: number
}

type Arm = SelectQueryBuilder<DeliveryTables, 'deliveries', Place>

/**
 * Reads places of a lane's deliveries in order. The index orders them within each status and type; this merges the
 * queried ones and reads each no further than the page needs. So one index serves every filter, and a rare status is
 * found quickly among millions of deliveries.
 */
export class PlaceQuery {
  readonly #database: SqlDatabase<DeliveryTables>
  /** Compiled once for each combination of filters and order. */
  readonly #statements = new Map<string, Statement<Bounds, Place>>()

  constructor(database: SqlDatabase<DeliveryTables>) {
    this.#database = database
  }

  find({ status, type, order, ...bounds }: PlaceRange): BoundStatement<Place> {
    const name = `${status} ${type} ${order}`
    const statement = this.#statements.get(name) ?? statementOn(this.#database, status, type, order)
    this.#statements.set(name, statement)
    return statement(bounds)
  }
}

function statementOn(
  database: SqlDatabase<DeliveryTables>,
  status: number | null,
  type: number | null,
  order: 'asc' | 'desc',
): Statement<Bounds, Place> {
  const statuses = status === null ? ALL_STATUS_CODES : [status]
  const types = type === null ? ALL_TYPE_CODES : [type]
  return database.statement((queries, bounds: Bounds) => {
    /** SQLite merges the arms in order. PostgreSQL would read all of each, unless it has an end of its own. */
    const bounded = (arm: Arm): Arm =>
      database.dialect === 'sqlite'
        ? arm
        : (queries
            .selectFrom(arm.orderBy('place', order).limit(bounds.limit).as('arm'))
            .select('place') as unknown as Arm)
    const arms = statuses.flatMap((one) =>
      types.map((other) =>
        bounded(
          queries
            .selectFrom(indexedTable(database, 'deliveries', 'deliveries_by_lane'))
            .select('place')
            .where('lane', '=', bounds.lane)
            .where('status', '=', one)
            .where('type', '=', other)
            .where('place', '>=', bounds.fromPlace)
            .where('place', '<', bounds.beforePlace)
            .where('created_at', '>=', bounds.startTime)
            .where('created_at', '<', bounds.endTime),
        ),
      ),
    )
    const [first, ...others] = arms
    return first!.unionAll(others).orderBy('place', order).limit(bounds.limit)
  })
}
