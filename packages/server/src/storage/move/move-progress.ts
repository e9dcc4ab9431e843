import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, replaceFile } from '../files.ts'

/** How far a table of the engine has been copied. */
export interface TablePlace {
  /** Batches that were inserted, with all rows up to `after`. */
  readonly batches: number
  readonly rows: number
  /** The key of the last row inserted; null at the beginning. */
  readonly after: Key | null
  /** The last key of the batch that is being inserted: a repetition inserts exactly the same rows. */
  readonly through: Key | null
}

/** Values of the columns that a table is ordered by. */
export type Key = readonly (string | number)[]

/** The progress of a move. It stays with the source, so that the target has no trace of it. */
export interface MoveProgress {
  /** Identity of the database that the store moves to. */
  readonly target: string
  /** The last commit of the store when the move began. */
  readonly version: number
  readonly tables: Readonly<Record<string, TablePlace>>
  /** When everything was copied and compared; null before. */
  readonly finishedAt: string | null
}

const FILE = 'move.json'

export async function readProgress(dataDir: string): Promise<MoveProgress | null> {
  const text = await ifThere(readFile(join(dataDir, FILE), 'utf8'), null)
  return text === null ? null : (JSON.parse(text) as MoveProgress)
}

export function writeProgress(dataDir: string, progress: MoveProgress): Promise<void> {
  return replaceFile(join(dataDir, FILE), `${JSON.stringify(progress, null, 2)}\n`)
}
