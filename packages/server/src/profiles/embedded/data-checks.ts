import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlStore } from '../../storage/sql/open-control-store.ts'
import { surveyWal } from '../../storage/sql/wal-survey.ts'
import { oldestLoggedVersion } from '../../storage/embedded/log/commit-log.ts'
import { type PartsRecord, readPartsRecord, type RecordedPart } from '../../storage/clickhouse/parts/parts-record.ts'
import { DATA_FILES } from '../../storage/data-files.ts'
import type { Losses } from './losses.ts'

/** The facts that the files of a data directory show before any of them is opened. */
export interface FoundData {
  /** The control store is created again, beside existing data. */
  readonly controlIsLost: boolean
  readonly record: PartsRecord | null
  /** Transactions of control.db that its write-ahead log holds after a damaged place. */
  readonly lostTransactions: number
}

/**
 * Call it before the control store is opened, which would make an empty one. Settles losses that would make opening it
 * pointless.
 */
export async function surveyData(dataDir: string, losses: Losses): Promise<FoundData> {
  const record = await readRecord(dataDir, losses)
  const control = join(dataDir, DATA_FILES.control)
  const controlIsLost = isEmpty(control) && (record !== null || (await hasOtherData(dataDir)))
  if (controlIsLost) {
    const commits = record === null ? 'traces' : `${record.settledThrough} commits`
    losses.add(
      `${control} is missing or empty, beside a store with ${commits}: projects, keys, definitions and the journal are gone.`,
    )
    losses.settle()
  }
  return { controlIsLost, record, lostTransactions: surveyWal(`${control}-wal`).lost }
}

async function readRecord(dataDir: string, losses: Losses): Promise<PartsRecord | null> {
  const path = join(dataDir, DATA_FILES.partsRecord)
  try {
    return await readPartsRecord(path)
  } catch (error) {
    losses.add(
      `${error instanceof Error ? error.message : String(error)}: whether parts of the engine are missing is not known.`,
    )
    return null
  }
}

/** Before the data is used: whether record and control store belong together. */
export function checkIdentity(
  { controlIsLost, record }: FoundData,
  { identity }: Pick<ControlStore, 'identity'>,
  dataDir: string,
  losses: Losses,
): void {
  if (controlIsLost) return
  const path = join(dataDir, DATA_FILES.partsRecord)
  if (record === null && identity.partsRecorded && !existsSync(path))
    losses.add(`${path} is missing: whether parts of the engine are missing is not known.`)
  if (record !== null && record.storeId !== identity.storeId)
    losses.add(`${path} belongs to another store than control.db: the files of two data directories were mixed.`)
}

/**
 * Call it once the log has restored what it could to the journal: transactions that were no commits, or are not in the
 * log, are lost.
 */
export function checkLostTransactions({ lostTransactions }: FoundData, replayed: number, losses: Losses): void {
  // The last one may have been in progress when the power failed.
  const lost = lostTransactions - replayed - 1
  if (lost <= 0) return
  // SQLite overwrites what follows the damage.
  losses.addFleeting(
    `control.db-wal is damaged: ${lostTransactions} changes after the damage cannot be read. ${replayed} of them were commits of traces that the commit log still had; ` +
      `the other ${lost} (of projects, keys, media, definitions, monitors or webhooks) are lost.`,
  )
}

export function findPartLosses(missing: readonly RecordedPart[], losses: Losses): void {
  for (const [table, parts] of Map.groupBy(missing, (part) => part.table)) {
    const rows = parts.reduce((sum, part) => sum + part.rows, 0)
    const names = parts.map(({ name }) => name).join(', ')
    losses.add(
      `${rows} rows of the table ${table} are missing: ${parts.length === 1 ? 'the part' : 'the parts'} ${names} cannot be loaded.`,
    )
  }
}

async function hasOtherData(dataDir: string): Promise<boolean> {
  return (
    existsSync(join(dataDir, DATA_FILES.telemetry, 'store')) ||
    (await oldestLoggedVersion(join(dataDir, DATA_FILES.commitLog))) !== null
  )
}

function isEmpty(path: string): boolean {
  return !existsSync(path) || statSync(path).size === 0
}
