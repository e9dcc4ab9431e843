import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { statusCode } from './delivery-codes.ts'
import type { DeliveryTables } from './delivery-tables.ts'

/*
 * Parts of the statements about deliveries. Codes are in the text: a partial index is used only if its condition is
 * known when the statement is planned.
 */

export const PENDING = statusCode('pending')
export const FAILED = statusCode('failed')
export const CANCELLED = statusCode('cancelled')

/** Whether nobody has the delivery `d` at `:now`: it has no lease, or the lease has ended, or that of its node. */
export const IS_FREE = `(d.leased_by IS NULL OR d.leased_until <= :now OR NOT EXISTS (
  SELECT 1 FROM delivery_nodes n WHERE n.node = d.leased_by AND n.until > :now))`

export const NO_LEASE = 'leased_by = NULL, leased_until = NULL'

/** Deletes those of these events that have no delivery. */
export function deleteBareEventsOn(database: SqlDatabase<DeliveryTables>) {
  return sqlTextOn(database).listQuery<number>(`DELETE FROM delivery_events WHERE event IN (:values)
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = delivery_events.event)`)
}
