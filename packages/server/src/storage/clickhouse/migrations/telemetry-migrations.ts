import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** A file `NNNN-name.sql` of this folder. It never changes after its release: stores record its checksum. */
export interface TelemetryMigration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, before it is rendered for a dialect. */
  readonly checksum: string
}

const FILE = /^(\d{4})-([a-z0-9-]+)\.sql$/

/** All migrations, ordered by number without gaps. */
export function telemetryMigrations(): readonly TelemetryMigration[] {
  const migrations = readdirSync(new URL('.', import.meta.url))
    .sort()
    .flatMap((file) => {
      const match = FILE.exec(file)
      if (match === null) return []
      const sql = readFileSync(new URL(file, import.meta.url), 'utf8')
      return [{ version: Number(match[1]), name: match[2] as string, sql, checksum: hash('sha256', sql) }]
    })
  const first = migrations[0]?.version ?? 0
  migrations.forEach(({ version, name }, at) => {
    if (version !== first + at) throw new Error(`migration ${version} (${name}) does not follow ${first + at - 1}`)
  })
  return migrations
}
