import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlStore } from '../storage/control/open-control-store.ts'
import { surveyWal } from '../storage/control/wal-survey.ts'
import { oldestLoggedVersion } from '../storage/telemetry/commit-log.ts'
import { type PartsRecord, readPartsRecord, type RecordedPart } from '../storage/telemetry/parts/parts-record.ts'
import type { Losses } from './losses.ts'

/** The record of the engine's parts, in the data directory. */
export const PARTS_RECORD_FILE = 'telemetry.parts'

/** What the files of a data directory say before any of them is opened. */
export interface FoundData {
  readonly record: PartsRecord | null
  /** Transactions of control.db that its write-ahead log holds behind a damaged place. */
  readonly lostTransactions: number
}

/** To be called before the control store is opened, which would make an empty one. Settles losses that make that pointless. */
export async function surveyData(dataDir: string, losses: Losses): Promise<FoundData> {
  const record = await readRecord(dataDir, losses)
  const control = join(dataDir, 'control.db')
  if (isEmpty(control) && (record !== null || (await hasOtherData(dataDir)))) {
    const commits = record === null ? 'traces' : `${record.settledThrough} commits`
    losses.add(
      `${control} is missing or empty, beside a store with ${commits}: projects, keys, definitions and the journal are gone.`,
    )
    losses.settle()
  }
  return { record, lostTransactions: surveyWal(`${control}-wal`).lost }
}

async function readRecord(dataDir: string, losses: Losses): Promise<PartsRecord | null> {
  const path = join(dataDir, PARTS_RECORD_FILE)
  try {
    return await readPartsRecord(path)
  } catch (error) {
    losses.add(
      `${error instanceof Error ? error.message : String(error)}: whether parts of the engine are missing cannot be told.`,
    )
    return null
  }
}

/** Before anything of it is used: whether record and control store belong together. */
export function checkIdentity(
  { record }: FoundData,
  { identity }: Pick<ControlStore, 'identity'>,
  dataDir: string,
  losses: Losses,
): void {
  const path = join(dataDir, PARTS_RECORD_FILE)
  if (record === null && identity.partsRecorded && !losses.isAccepting && !existsSync(path))
    losses.add(`${path} is missing: whether parts of the engine are missing cannot be told.`)
  if (record !== null && record.storeId !== identity.storeId)
    losses.add(`${path} belongs to another store than control.db: the files of two data directories were mixed.`)
}

/** To be called once the log has given the journal what it could: transactions that were no commits, or are not in the log, are lost. */
export function checkLostTransactions({ lostTransactions }: FoundData, replayed: number, losses: Losses): void {
  // The last one may have been under way when the power failed.
  const lost = lostTransactions - replayed - 1
  if (lost <= 0) return
  losses.add(
    `control.db-wal is damaged: ${lostTransactions} changes behind the damage cannot be read. ${replayed} of them were commits of traces that the commit log still had; ` +
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
    existsSync(join(dataDir, 'telemetry', 'store')) || (await oldestLoggedVersion(join(dataDir, 'commit-log'))) !== null
  )
}

function isEmpty(path: string): boolean {
  return !existsSync(path) || statSync(path).size === 0
}
