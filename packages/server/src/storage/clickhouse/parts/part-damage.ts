import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder, ifThere } from '../../files.ts'
import { readPartChecksums } from './part-checksums.ts'

/** Files of skip indexes are made from the other files of a part, which is complete without them. */
const SKIP_INDEX_FILE = /^skp_idx_/

export interface PartDamage {
  /** For the operator. */
  readonly what: string
  /** Only files of skip indexes are damaged. */
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
    const found = await ifThere(stat(join(folder, name)), null)
    if (found?.size !== sizeBytes) damaged.push(`${name} has ${found?.size ?? 'no'} of ${sizeBytes} bytes`)
  }
  if (damaged.length === 0) return null
  const indexOnly = damaged.every((name) => SKIP_INDEX_FILE.test(name))
  return { what: damaged.join(', '), indexOnly }
}

/** Removes all skip indexes of a part that is not loaded; the next merge makes them again. Durable. */
export async function dropSkipIndexes(folder: string): Promise<void> {
  const indexes = (await readdir(folder)).filter((name) => SKIP_INDEX_FILE.test(name))
  for (const file of [...indexes, 'checksums.txt']) await rm(join(folder, file), { force: true })
  await flushFolder(folder)
}
