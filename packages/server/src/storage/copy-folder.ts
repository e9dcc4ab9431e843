import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import { lockFile } from './data-lock.ts'

/** The commands that copy the store into a folder in the data folder. */
const COPYING = ['check', 'backup', 'move'] as const
type Copying = (typeof COPYING)[number]

/**
 * Makes an empty folder in the data folder for the command, and removes it, and those of killed ones. Throws
 * OperatorError when the command is under way on the data folder, or when somebody removes the folder meanwhile.
 */
export async function withCopyFolder<T>(
  dataDir: string,
  command: Copying,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const lock = lockFile(lockPath(dataDir, command))
  if (lock === null) throw new OperatorError(`Another ${command} of ${dataDir} is under way.`)
  try {
    removeFolders(dataDir, command)
    const folder = await mkdtemp(join(dataDir, prefixOf(command)))
    try {
      return await use(folder)
    } catch (error) {
      if (existsSync(folder)) throw error
      throw new OperatorError(`${folder} was removed during the ${command}. Run the command again.`, { cause: error })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  } finally {
    // Another account may run the command next.
    rmSync(lockPath(dataDir, command), { force: true })
    lock.close()
  }
}

/** A killed command left a copy, in which deleted content would outlive its deletion. One under way keeps its own. */
export function removeCopyFolders(dataDir: string): void {
  for (const command of COPYING) {
    if (foldersOf(dataDir, command).length === 0) continue
    const lock = lockFile(lockPath(dataDir, command))
    if (lock !== null) removeFolders(dataDir, command)
    lock?.close()
  }
}

function removeFolders(dataDir: string, command: Copying): void {
  for (const name of foldersOf(dataDir, command)) rmSync(join(dataDir, name), { recursive: true, force: true })
}

function foldersOf(dataDir: string, command: Copying): string[] {
  return readdirSync(dataDir).filter((name) => name.startsWith(prefixOf(command)))
}

/** Nobody gives a copy of their own such a name. */
function prefixOf(command: Copying): string {
  return `.spoor-${command}-`
}

function lockPath(dataDir: string, command: Copying): string {
  return join(dataDir, `${command}.lock`)
}
