import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../../../lib/error-code.ts'
import { flushFolder } from '../../files.ts'
import { parsePartName } from './part-name.ts'
import type { PartsRecord } from './parts-record.ts'

/**
 * Flushes the parts in a store's folder that the record does not name. Call it before the engine opens the store,
 * because the engine soon removes the parts that these were merged from. Returns how many were flushed.
 */
export async function flushUnrecordedParts(directory: string, record: PartsRecord | null): Promise<number> {
  const recorded = new Set(record?.parts.map(({ table, name }) => `${table} ${name}`))
  let flushed = 0
  for (const { table, folder } of await tableFolders(directory)) {
    for (const entry of await entriesOf(folder)) {
      if (parsePartName(entry) === null || recorded.has(`${table} ${entry}`)) continue
      await flushFolder(join(folder, entry))
      flushed += 1
    }
  }
  return flushed
}

/** `store/<3 digits>/<uuid>` of each table, found by the statements in the database's folder. */
export async function tableFolders(
  directory: string,
): Promise<readonly { readonly table: string; readonly folder: string }[]> {
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
