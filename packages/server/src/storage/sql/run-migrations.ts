import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../lib/time/clock.ts'
import type { Migration } from './schema/migration.ts'
import { runAtomically } from './run-atomically.ts'

/** The version of the last migration that ran on a database; 0 for a new one. */
export function schemaVersion(database: DatabaseSync): number {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'").get()
  if (known === undefined) return 0
  return Number(database.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_versions').get()?.['version'])
}

/**
 * Runs the migrations that have not run yet, each in a transaction of its own.
 *
 * The lease that telemetry takes from `SchemaLease` is SQLite's write lock here: `BEGIN IMMEDIATE` (run-atomically.ts)
 * takes it before the version is read, and `COMMIT` releases it together with the schema and the version. So one
 * process at a time changes the schema, each migration runs once, and a process that dies loses the lock and its
 * changes at once. A second process waits for the lock (busy_timeout), reads the new version and goes on after it. On
 * PostgreSQL the transaction takes an advisory lock before it reads the version.
 */
export function runMigrations(database: DatabaseSync, migrations: readonly Migration[], clock: Clock): void {
  for (const migration of migrations) {
    // Without the lock: opening a current database must not wait for a writer.
    if (schemaVersion(database) >= migration.version) continue
    runAtomically(database, () => {
      if (schemaVersion(database) >= migration.version) return
      database.exec(
        'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, migrated_at INTEGER NOT NULL) STRICT',
      )
      database.exec(migration.statements)
      database
        .prepare('INSERT INTO schema_versions VALUES (?, ?, ?)')
        .run(migration.version, migration.name, clock.now())
    })
  }
}
