import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readPartChecksums } from './part-checksums.ts'

/** Files of text indexes are derived from the part's other files; a part is complete without them. */
const TEXT_INDEX_FILE = /^skp_idx_(?:text_index|terms_index)\./

export interface PartDamage {
  /** For the operator. */
  readonly what: string
  /** Only files of text indexes are damaged. */
  readonly indexOnly: boolean
}

/** Checks that the files of a part exist with their original sizes; null when they do. Content is not verified. */
export async function findPartDamage(folder: string): Promise<PartDamage | null> {
  let files
  try {
    files = await readPartChecksums(folder)
  } catch (error) {
    return { what: error instanceof Error ? error.message : String(error), indexOnly: false }
  }
  if (files === null) return { what: 'checksums.txt is missing', indexOnly: false }
  const damaged: string[] = []
  for (const [name, sizeBytes] of files) {
    const found = await sizeOf(join(folder, name))
    if (found !== sizeBytes) damaged.push(`${name} has ${found ?? 'no'} of ${sizeBytes} bytes`)
  }
  if (damaged.length === 0) return null
  const indexOnly = damaged.every((name) => TEXT_INDEX_FILE.test(name))
  return { what: damaged.join(', '), indexOnly }
}

/** Names of the files of text indexes in a part. */
export async function textIndexFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => TEXT_INDEX_FILE.test(name))
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
