import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { LeaseTables } from './lease-tables.ts'

/**
 * The first statement of a transaction that writes under a lease. It returns a row if the epoch is current, none if it
 * is stale. On PostgreSQL it locks the row, so that nobody takes the lease before the transaction ends; on SQLite
 * transactions are serial.
 */
export function currentLeaseOn<Tables extends LeaseTables>(database: SqlDatabase<Tables>) {
  return database.withTables<LeaseTables>().statement((queries, { name, epoch }: LeaseEpoch) =>
    queries
      .selectFrom('leases')
      .select('epoch')
      .where('name', '=', name)
      .where('epoch', '=', epoch)
      .$if(database.dialect === 'postgresql', (query) => query.forShare()),
  )
}
