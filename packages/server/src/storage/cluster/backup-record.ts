import { readFile, writeFile } from 'node:fs/promises'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Timeline } from './timeline.ts'

/** Rows of each table and month, and the sum of the hashes of their keys and versions. */
export type Sums = Readonly<Record<string, { readonly rows: number; readonly hash: string }>>

/** What the copies of `spoor backup -- COMMAND` must have. */
export interface BackupRecord {
  readonly timeline: Timeline
  /** ClickHouse had all commits through this one when the command began. */
  readonly settledThrough: number
  /** The last commit when it had ended. */
  readonly version: number
  /** Of the rows of commits through `settledThrough`, before and after the command. */
  readonly before: Sums
  readonly after: Sums
}

/**
 * What of `found`, the sums of restored stores, cannot be of a copy that was made between `before` and `after`: later
 * commits only replace rows, and a table that none has changed has the same rows at all three moments.
 */
export function compareSums({ before, after }: BackupRecord, found: Sums): readonly string[] {
  return [...new Set([before, after, found].flatMap((sums) => Object.keys(sums)))].sort().flatMap((name) => {
    const [first, last, here] = [before, after, found].map((sums) => sums[name] ?? { rows: 0, hash: '0' })
    if (here!.rows < last!.rows || here!.rows > first!.rows)
      return [`${name}: there are ${here!.rows} rows, and there were ${last!.rows} to ${first!.rows}.`]
    const isOther = first!.hash === last!.hash && here!.hash !== first!.hash
    return isOther ? [`${name}: the ${here!.rows} rows are others than those that there were.`] : []
  })
}

const FORMAT = 'spoor-cluster-backup-1'

/** So that no record of an earlier backup is taken for that of one that failed. */
export async function clearRecord(path: string): Promise<void> {
  try {
    await writeFile(path, '')
  } catch (error) {
    throw new OperatorError(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

export async function writeRecord(path: string, record: BackupRecord): Promise<void> {
  await writeFile(path, `${JSON.stringify({ format: FORMAT, ...record })}\n`)
}

/** Throws OperatorError. */
export async function readRecord(path: string): Promise<BackupRecord> {
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as BackupRecord & { readonly format?: unknown }
    if (record.format === FORMAT) return record
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  throw new OperatorError(`${path} is no record of a backup of a cluster.`)
}
