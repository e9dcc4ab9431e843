import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { oldestLoggedVersion, readCommitLog } from '../embedded/log/commit-log.ts'
import { type PartsRecord, readPartsRecord } from '../clickhouse/parts/parts-record.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { DamageRecord } from '../clickhouse/damage/damage-record.ts'
import { DATA_FILES } from '../data-files.ts'
import { checkDatabases } from './check-databases.ts'
import { checkMedia } from './check-media.ts'
import { checkTelemetry } from './check-telemetry.ts'

/**
 * Verifies everything in a data directory, byte by byte, and changes nothing. The service may be running. Yields each
 * result as soon as it exists.
 */
export async function* checkStore(
  dataDir: string,
  memoryBytes: number,
  openBlobs: () => Promise<{ readonly blobs: Pick<BlobStore, 'read'>; close(): void }>,
): AsyncGenerator<CheckResult> {
  if (!existsSync(join(dataDir, DATA_FILES.control)))
    throw new OperatorError(
      `There is no Spoor data in ${dataDir}: control.db is missing. Name its folder with --data-dir.`,
    )
  const path = join(dataDir, DATA_FILES.partsRecord)
  let record: PartsRecord | null = null
  try {
    record = await readPartsRecord(path)
  } catch {
    yield { part: DATA_FILES.partsRecord, detail: '', problems: [`${path} is damaged.`] }
  }
  const databases = checkDatabases(dataDir)
  yield* databases
  const isReadable = databases.every(({ part, problems }) => part !== 'control.db' || problems.length === 0)
  if (isReadable) yield await checkLog(dataDir, record)
  let unreadable = 0
  const damage = await DamageRecord.open({
    path: join(dataDir, DATA_FILES.damage),
    clock: systemClock,
    onUnreadable: () => (unreadable += 1),
  })
  if (unreadable > 0)
    yield { part: DATA_FILES.damage, detail: '', problems: [`${unreadable} of its lines cannot be read.`] }
  yield await checkTelemetry(dataDir, record, damage, memoryBytes)
  if (isReadable) {
    const { blobs, close } = await openBlobs()
    try {
      yield await checkMedia(dataDir, blobs)
    } finally {
      close()
    }
  }
}

/** Reads every record of the commit log, and compares it with the journal and with the rows in the engine. */
async function checkLog(dataDir: string, record: PartsRecord | null): Promise<CheckResult> {
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
