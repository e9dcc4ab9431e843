import type { ClientBase } from 'pg'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { FLUSHED_COMMIT } from '../kit/pooled-transactions.ts'
import { refuseOtherSchema } from '../explain-open-failure.ts'
import type { Migration } from '../schema/migration.ts'

/** "Spor" in ASCII: an advisory lock of the database. */
const SCHEMA_LOCK = 0x53706f72

/**
 * Runs the migrations that have not run yet, each in a transaction of its own that first takes the lock and then reads
 * the version. So one node at a time changes the schema, each migration runs once, and the transaction of a node that
 * dies is undone. `name` of the database is for messages. Rejects with OperatorError if the database belongs to another
 * program or to a newer Spoor; then the caller MUST end the connection, as after any error.
 */
export async function runPostgresqlMigrations(
  client: ClientBase,
  migrations: readonly Migration[],
  clock: Clock,
  name: string,
): Promise<void> {
  const found = await schemaVersion(client, name)
  refuseOtherSchema(`The database ${name}`, found, migrations)
  for (const migration of migrations) {
    if (migration.version > found) await runOnce(client, migration, clock, name)
  }
}

/** If it fails, the end of the connection rolls it back. */
async function runOnce(client: ClientBase, { version, ...migration }: Migration, clock: Clock, name: string) {
  // Not a snapshot of before the lock: each statement sees what was committed before it.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL client_min_messages = warning')
  await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
  if ((await schemaVersion(client, name)) < version) {
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, migrated_at BIGINT NOT NULL)',
    )
    await client.query(migration.statements)
    await client.query('INSERT INTO schema_versions VALUES ($1, $2, $3)', [version, migration.name, clock.now()])
  }
  await client.query(FLUSHED_COMMIT)
}

/** 0 for an empty database. */
async function schemaVersion(client: ClientBase, name: string): Promise<number> {
  const { rows: tables } = await client.query<{ count: string; ours: string }>(
    `SELECT count(*), count(*) FILTER (WHERE tablename IN ('schema_versions', 'control_version')) AS ours
     FROM pg_tables WHERE schemaname = current_schema()`,
  )
  if (Number(tables[0]?.count) === 0) return 0
  if (Number(tables[0]?.ours) !== 2) {
    throw new OperatorError(`The database ${name} has tables of another program. Name an empty one for Spoor.`)
  }
  const { rows } = await client.query<{ version: string }>('SELECT max(version) AS version FROM schema_versions')
  return Number(rows[0]?.version)
}
