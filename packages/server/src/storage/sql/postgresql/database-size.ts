import type { SqlDatabase } from '../kit/sql-database.ts'

/** Bytes on the server's disk, indexes included. */
export async function databaseSizeBytes(database: Pick<SqlDatabase<unknown>, 'read'>): Promise<number> {
  const [row] = await database.read<{ readonly bytes: number }>({
    sql: 'SELECT pg_database_size(current_database()) AS bytes',
    parameters: [],
  })
  return row?.bytes ?? 0
}
