import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../../lib/error-code.ts'
import { flushFolder } from '../../files.ts'
import { repairDefinitions } from '../engine/definition-files.ts'
import { findPartDamage } from './part-damage.ts'
import { isInserted, parsePartName, sharesBlocks } from './part-name.ts'
import type { PartsRecord, RecordedPart } from './parts-record.ts'

/** The log has their rows of all commits that the record does not cover. */
const LOGGED_TABLES = new Set(['traces', 'steps', 'metric_events', 'metric_points'])

/**
 * Flushes the parts in a store's folder that the record does not name. Call it before the engine opens the store,
 * because the engine soon removes the parts that these were merged from.
 *
 * A part that the last run inserted and a full disk left torn is set aside: its rows are inserted again from the log.
 * Later it could not be distinguished from a part that had been whole. Returns the folders; remove them when the log is
 * settled and lacks nothing. `record` MUST be of this store.
 */
export async function secureUnrecordedParts(directory: string, record: PartsRecord | null) {
  const torn: string[] = []
  // They say which folder is of which table.
  repairDefinitions(directory)
  for (const { table, folder } of await tableFolders(directory)) {
    const ofTable = record?.parts.filter((part) => part.table === table) ?? []
    const recorded = new Set(ofTable.map(({ name }) => name))
    const entries = (await entriesOf(folder)).filter((entry) => parsePartName(entry) !== null)
    // A start may have attached a recorded part again, by a name like that of an insert.
    const isThere = ({ name, rows }: RecordedPart) => rows === 0 || entries.some((entry) => sharesBlocks(entry, name))
    const isComplete = record !== null && LOGGED_TABLES.has(table) && ofTable.every(isThere)
    for (const entry of entries.filter((name) => !recorded.has(name))) {
      const others = [...recorded, ...entries.filter((name) => name !== entry)]
      const isNew = isComplete && isInserted(entry) && !others.some((other) => sharesBlocks(other, entry))
      const path = join(folder, entry)
      if (isNew && (await findPartDamage(path))?.indexOnly === false) {
        const aside = join(folder, 'detached', `torn-insert_${entry}_${randomUUID()}`)
        await mkdir(dirname(aside), { recursive: true })
        await rename(path, aside)
        torn.push(aside)
      } else await flushFolder(path)
    }
  }
  return torn
}

/** `store/<3 digits>/<uuid>` of each table, found by the statements in the database's folder. */
export async function tableFolders(directory: string) {
  const folders = new Map<string, string>()
  const names = new Map<string, string>()
  for (const prefix of await entriesOf(join(directory, 'store'))) {
    for (const uuid of await entriesOf(join(directory, 'store', prefix))) {
      const folder = join(directory, 'store', prefix, uuid)
      folders.set(uuid, folder)
      for (const file of (await entriesOf(folder)).filter((name) => name.endsWith('.sql'))) {
        const statement = await readFile(join(folder, file), 'utf8')
        const named = /UUID '([0-9a-f-]+)'/.exec(statement)?.[1]
        if (named !== undefined) names.set(named, basename(file, '.sql'))
      }
    }
  }
  return [...folders].map(([uuid, folder]) => ({ table: names.get(uuid) ?? uuid, folder }))
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
    throw error
  }
}
