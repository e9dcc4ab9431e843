import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { readPartsRecord } from '../clickhouse/parts/parts-record.ts'
import { DATA_FILES } from '../data-files.ts'
import { checkDataModes, type DataAccess } from '../data-modes.ts'
import { CONTROL_MIGRATIONS, CLUSTER_MIGRATIONS, DELIVERY_MIGRATIONS } from '../sql/schema/schemas.ts'
import { schemaProblems } from '../sql/explain-open-failure.ts'
import { describeLeases } from './describe-leases.ts'
import { schemaVersion } from '../sql/run-migrations.ts'
import { SQLITE, sqliteCode } from '../sql/sqlite-error.ts'

const DATABASES = [
  [DATA_FILES.control, CONTROL_MIGRATIONS],
  ['deliveries.db', DELIVERY_MIGRATIONS],
  ['clusters.db', CLUSTER_MIGRATIONS],
] as const

/**
 * The report of `spoor doctor` on a data folder: its modes and lock, the schemas, commits that wait to settle, and
 * leases. Changes nothing; the service may be running. Unlike `spoor check`, it does not read the data.
 */
export async function* examineDataFolder(
  dataDir: string,
  access: DataAccess,
  clock: Clock,
): AsyncGenerator<CheckResult> {
  if (!existsSync(join(dataDir, DATA_FILES.control))) {
    const problem = `There is no Spoor data: ${DATA_FILES.control} is missing. Name its folder with --data-dir.`
    yield { part: 'data folder', detail: dataDir, problems: [problem] }
    return
  }
  yield { part: 'data folder', detail: dataDir, problems: modeProblems(dataDir, access) }
  yield { part: 'service', detail: isLocked(dataDir) ? 'a service runs on it' : 'no service runs on it', problems: [] }
  for (const [name, migrations] of DATABASES) yield examineDatabase(join(dataDir, name), name, migrations)
  yield await examineSettling(dataDir)
  yield examineLeases(dataDir, clock.now())
}

function modeProblems(dataDir: string, access: DataAccess): readonly string[] {
  try {
    checkDataModes(dataDir, access)
    return []
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [error.message.replaceAll('\n', ' ')]
  }
}

/** By reading, which a running service's lock does not allow: taking the lock could end the start of a service. */
function isLocked(dataDir: string): boolean {
  const path = join(dataDir, 'service.lock')
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { timeout: 0, readOnly: true })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (sqliteCode(error) === SQLITE.busy) return true
    throw error
  } finally {
    database.close()
  }
}

function examineDatabase(path: string, part: string, migrations: readonly { readonly version: number }[]): CheckResult {
  return reading(path, part, (database) => {
    const found = schemaVersion(database)
    return {
      part,
      detail: `schema ${found}`,
      problems: found === 0 ? ['It is empty.'] : schemaProblems(found, migrations),
    }
  })
}

async function examineSettling(dataDir: string): Promise<CheckResult> {
  const part = 'settling'
  const record = await readPartsRecord(join(dataDir, DATA_FILES.partsRecord)).catch((error: unknown) => String(error))
  if (typeof record === 'string') return { part, detail: '', problems: [record] }
  return reading(join(dataDir, DATA_FILES.control), part, (database) => {
    const version = Number(database.prepare('SELECT version FROM journal_state').get()?.['version'])
    const waiting = version - (record?.settledThrough ?? 0)
    return { part, detail: `${waiting} of ${version} commits are not recorded as settled`, problems: [] }
  })
}

function examineLeases(dataDir: string, now: number): CheckResult {
  const held = 'SELECT name, holder, until FROM leases WHERE until > ? ORDER BY name'
  return reading(join(dataDir, DATA_FILES.control), 'leases', (database) =>
    describeLeases(database.prepare(held).all(now), now),
  )
}

function reading(path: string, part: string, read: (database: DatabaseSync) => CheckResult): CheckResult {
  if (!existsSync(path)) return { part, detail: '', problems: [`${path} is missing.`] }
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { timeout: 5000 })
    database.exec('PRAGMA query_only = 1')
    return read(database)
  } catch (error) {
    return { part, detail: '', problems: [`${path}: ${error instanceof Error ? error.message : String(error)}`] }
  } finally {
    database?.close()
  }
}
