import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { surveyWal } from '../sql/wal-survey.ts'
import type { CheckResult } from '../../operation/check-result.ts'

/** The SQLite files of a data directory. */
const DATABASES = ['control.db', 'deliveries.db', 'clusters.db']

/** Reads every page of the SQLite files. Does not disturb a running service. */
export function checkDatabases(dataDir: string): readonly CheckResult[] {
  return DATABASES.map((name) => checkDatabase(join(dataDir, name), name))
}

function checkDatabase(path: string, part: string): CheckResult {
  if (!existsSync(path)) return { part, detail: '', problems: [`${path} is missing.`] }
  // A power loss may remove the end of these two; it is recreated.
  const { lost } = part === 'control.db' ? surveyWal(`${path}-wal`) : { lost: 0 }
  if (lost > 1) {
    // Not opened: SQLite would overwrite what follows the damage.
    return { part, detail: '', problems: [`${path}-wal is damaged: ${lost} changes behind the damage cannot be read.`] }
  }
  const database = new DatabaseSync(path, { timeout: 5000 })
  try {
    database.exec('PRAGMA query_only = 1')
    const found = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row['integrity_check']))
    const broken = database.prepare('PRAGMA foreign_key_check').all().length
    const problems = found.filter((line) => line !== 'ok').map((line) => `${path}: ${line}`)
    if (broken > 0) problems.push(`${path}: ${broken} rows refer to others that are missing.`)
    const pages = database
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get()
    return { part, detail: `${String(pages?.['bytes'])} bytes`, problems }
  } catch (error) {
    return { part, detail: '', problems: [`${path}: ${error instanceof Error ? error.message : String(error)}`] }
  } finally {
    database.close()
  }
}
