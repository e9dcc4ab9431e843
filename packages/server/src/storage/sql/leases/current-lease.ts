import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { LeaseTables } from './lease-tables.ts'

/**
 * The statement with which a transaction that writes under a lease begins: it returns a row while the epoch is the
 * lease's, none when it is stale. PostgreSQL holds off whoever would take the lease until the transaction has ended; on
 * SQLite transactions follow one another anyway.
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
