import type { StatementSync } from 'node:sqlite'
import { ALL_STATUS_CODES, ALL_TYPE_CODES } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'

export interface PlaceRange {
  readonly lane: number
  /** Codes; null: all. */
  readonly status: number | null
  readonly type: number | null
  /** Inclusive. */
  readonly fromPlace: number
  /** Exclusive. */
  readonly beforePlace: number
  /** Bounds on `created_at`; start inclusive, end exclusive. */
  readonly startTime: number
  readonly endTime: number
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
}

/**
 * Reads places of a lane's deliveries in order. The index orders them within each status and type; this merges the
 * queried ones and reads each no further than the page needs. So one index serves every filter, and a rare status is
 * found quickly among millions of deliveries.
 */
export class PlaceQuery {
  readonly #tables: Pick<DeliveryTables, 'prepare'>
  readonly #statements = new Map<string, StatementSync>()

  constructor(tables: Pick<DeliveryTables, 'prepare'>) {
    this.#tables = tables
  }

  find(range: PlaceRange): number[] {
    const { lane, status, type, fromPlace, beforePlace, startTime, endTime, order, limit } = range
    const name = `${status} ${type} ${order}`
    const statement = this.#statements.get(name) ?? this.#tables.prepare(sqlOf(status, type, order))
    this.#statements.set(name, statement)
    return statement
      .all({ lane, fromPlace, beforePlace, startTime, endTime, limit })
      .map((row) => row['place'] as number)
  }
}

function sqlOf(status: number | null, type: number | null, order: string): string {
  const statuses = status === null ? ALL_STATUS_CODES : [status]
  const types = type === null ? ALL_TYPE_CODES : [type]
  const arms = statuses.flatMap((one) =>
    types.map(
      (other) =>
        `SELECT place FROM deliveries INDEXED BY deliveries_by_lane WHERE lane = :lane AND status = ${one} AND type = ${other} ` +
        'AND place >= :fromPlace AND place < :beforePlace AND created_at >= :startTime AND created_at < :endTime',
    ),
  )
  return `${arms.join(' UNION ALL ')} ORDER BY place ${order} LIMIT :limit`
}
