import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../lib/time/clock.ts'
import type { Migration } from './migrations/control/migration.ts'
import { runAtomically } from './run-atomically.ts'

/** The newest migration a database has had, 0 for a new one. */
export function schemaVersion(database: DatabaseSync): number {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'").get()
  if (known === undefined) return 0
  return Number(database.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_versions').get()?.['version'])
}

/**
 * Runs those that are still to be run. The version is read again inside each transaction: another process may be doing
 * the same.
 */
export function runMigrations(database: DatabaseSync, migrations: readonly Migration[], clock: Clock): void {
  for (const migration of migrations) {
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
