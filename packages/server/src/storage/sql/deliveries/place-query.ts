import { indexedBy } from '../kit/dialect-sql.ts'
import type { BoundStatement, SqlDatabase, Statement } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
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
  const end = `ORDER BY place ${order} LIMIT :limit`
  const arms = statuses.flatMap((one) =>
    types.map((other) => {
      const arm = `SELECT place FROM deliveries ${indexedBy(database, 'deliveries_by_lane')}
        WHERE lane = :lane AND status = ${one} AND type = ${other} AND place >= :fromPlace AND place < :beforePlace
          AND created_at >= :startTime AND created_at < :endTime`
      // SQLite merges the arms in order. PostgreSQL reads each arm completely unless the arm has its own LIMIT.
      return database.dialect === 'sqlite' ? arm : `SELECT place FROM (${arm} ${end}) AS arm`
    }),
  )
  return sqlTextOn(database).query<Bounds, Place>(`${arms.join(' UNION ALL ')} ${end}`)
}
