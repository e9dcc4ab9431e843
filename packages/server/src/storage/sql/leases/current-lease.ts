import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import { locking } from '../kit/dialect-sql.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { LeaseTables } from './lease-tables.ts'

/**
 * The first statement of a transaction that writes under a lease. It returns a row if the epoch is current, none if it
 * is stale. On PostgreSQL it locks the row, so that nobody takes the lease before the transaction ends; on SQLite
 * transactions are serial.
 */
export function currentLeaseOn<Tables extends LeaseTables>(database: SqlDatabase<Tables>) {
  return sqlTextOn(database).query<LeaseEpoch>(
    `SELECT epoch FROM leases WHERE name = :name AND epoch = :epoch ${locking(database, 'FOR SHARE')}`,
  )
}
