import { OperatorError } from '../../../lib/operator-error.ts'
import { EMBEDDED_DIALECT, type TelemetryDialect } from '../engine/telemetry-dialect.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { refuseOtherSchema } from '../../sql/explain-open-failure.ts'
import { keepOldParts } from '../parts/old-parts.ts'
import { renderMigration } from './render-migration.ts'
import { heldByDataLock, type SchemaLease } from './schema-lease.ts'
import { type TelemetryMigration, telemetryMigrations } from './telemetry-migrations.ts'

export interface SchemaOptions {
  readonly dialect: TelemetryDialect
  readonly lease: SchemaLease
  readonly migrations: readonly TelemetryMigration[]
  /** Where the store is, for messages: `the data directory`, or `ClickHouse`. */
  readonly place: string
}

/**
 * Brings an empty or older store to the latest schema: runs the missing migrations in order, under the lease.
 *
 * - The table `schema_versions` records the migrations of a store by number. A store that has one has all earlier ones.
 * - A migration is recorded when all its statements have run. After a crash in the middle it runs again from its first
 *   statement, so each migration MUST be safe to repeat from any point.
 * - Throws OperatorError, and changes nothing, for a store of a newer Spoor, of a version before the first release, and
 *   for one with different migrations under the same numbers.
 */
export async function openTelemetrySchema(
  engine: TelemetryEngine,
  {
    dialect = EMBEDDED_DIALECT,
    lease = heldByDataLock,
    migrations = telemetryMigrations(),
    place = 'the data directory',
  }: Partial<SchemaOptions> = {},
): Promise<void> {
  await lease(async (lost) => {
    const found = await foundVersion(engine, { dialect, migrations, place })
    for (const migration of migrations) {
      if (migration.version <= found) continue
      for (const statement of renderMigration(migration.sql, dialect)) {
        lost.throwIfAborted()
        await engine.command(statement)
      }
      lost.throwIfAborted()
      await record(engine, migration)
    }
  })
  await keepOldParts(engine)
}

const VERSIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_versions{{on_cluster}} (version UInt32, name String, checksum String) ' +
  'ENGINE = {{engine MergeTree}} ORDER BY version SETTINGS {{table_settings}};\n'

/** Number of the latest migration in the store; 0 for an empty store. */
async function foundVersion(
  engine: TelemetryEngine,
  { dialect, migrations, place }: Omit<SchemaOptions, 'lease'>,
): Promise<number> {
  const columns = await engine.select(
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'schema_versions'",
  )
  if (columns.length === 0) {
    for (const statement of renderMigration(VERSIONS_TABLE, dialect)) await engine.command(statement)
  }
  const catchUp = dialect.catchUp('schema_versions')
  if (catchUp !== null) await engine.command(catchUp)
  const [row] = await engine.select('SELECT max(version) FROM schema_versions')
  const found = row?.[0] as number
  refuseOtherSchema(`The store of traces in ${place}`, found, migrations)
  const checksums = await engine.select('SELECT version, name, checksum FROM schema_versions')
  for (const [version, name, checksum] of checksums) {
    const known = migrations.find((migration) => migration.version === version)
    if (known?.checksum !== checksum) throw new OperatorError(foreignStore(place, version as number, name as string))
  }
  return found
}

async function record(engine: TelemetryEngine, { version, name, checksum }: TelemetryMigration): Promise<void> {
  await engine.insert('schema_versions', Buffer.from(`${JSON.stringify({ version, name, checksum })}\n`))
}

function foreignStore(place: string, version: number, name: string): string {
  return (
    `The traces in ${place} were written by a development version of Spoor: its migration ${version} (${name}) is not the one that this version knows. ` +
    'Start that version, or a release that follows it.'
  )
}
