import { type RawBuilder, sql } from 'kysely'
import { listStatement } from '../kit/list-statement.ts'
import { raw } from '../kit/raw-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { statusCode } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'

/*
 * Parts of the statements about deliveries.
 */

/** Literals: a partial index is used only if its condition is known when the statement is planned. */
export const PENDING = sql.lit(statusCode('pending'))
export const FAILED = sql.lit(statusCode('failed'))
export const CANCELLED = sql.lit(statusCode('cancelled'))

/** Whether nobody has the delivery `d`: it has no lease, or the lease has ended, or that of its node. */
export function isFree(now: number): RawBuilder<boolean> {
  return sql`(d.leased_by IS NULL OR d.leased_until <= ${now} OR NOT EXISTS (
    SELECT 1 FROM delivery_nodes n WHERE n.node = d.leased_by AND n.until > ${now}))`
}

export const NO_LEASE: RawBuilder<unknown> = sql`leased_by = NULL, leased_until = NULL`

/** Deletes those of these events that have no delivery. */
export function deleteBareEventsOn(database: SqlDatabase<DeliveryTables>) {
  return listStatement(database, (queries, events: readonly number[]) =>
    raw(
      queries,
      sql`DELETE FROM delivery_events WHERE event IN (${sql.join(events)})
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = delivery_events.event)`,
    ),
  )
}
