import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { oldestLoggedVersion, readCommitLog } from '../embedded/log/commit-log.ts'
import type { PartsRecord } from '../clickhouse/parts/parts-record.ts'
import type { CheckResult } from '../../operation/check-result.ts'

/** Reads every record of the commit log, and compares it with the journal and with the rows in the engine. */
export async function checkLog(dataDir: string, record: PartsRecord | null): Promise<CheckResult> {
  const directory = join(dataDir, 'commit-log')
  const committed = committedVersion(dataDir)
  const oldest = await oldestLoggedVersion(directory)
  const settled = record?.settledThrough ?? 0
  const problems: string[] = []
  let commits = 0
  // Damage in settled records is harmless: they are not needed any more, and their segment is removed soon.
  const range = { after: Math.min(settled, committed), through: committed }
  for await (const _ of readCommitLog(directory, range, ({ from, through, path, position }) =>
    problems.push(
      `${path} does not hold commits ${from} to ${through}${position === null ? '' : `: damaged at byte ${position}`}.`,
    ),
  ))
    commits += 1
  if (settled > committed)
    problems.push(`control.db ends at commit ${committed}, but commits up to ${settled} have been stored.`)
  const detail = `commits up to ${committed}, ${commits} of them in the log alone${oldest === null ? '' : `, which begins with ${oldest}`}`
  return { part: 'commit-log', detail, problems }
}

function committedVersion(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'control.db'), { timeout: 5000 })
  try {
    return Number(database.prepare('SELECT version FROM journal_state').get()?.['version'])
  } finally {
    database.close()
  }
}
