import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../../lib/operator-error.ts'
import { codeOf } from '../../../lib/error-code.ts'
import { isDiskFull } from '../../../lib/disk-full.ts'
import { syncPath } from '../../files.ts'
import { onDisk } from './disk-error.ts'

/** Makes a folder durably if it does not exist, with all above it. Throws OperatorError when that fails. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncPath(dirname(folder))
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    const sentence = isDiskFull(error)
      ? `The disk that holds ${folder} is full. Make space and try again.`
      : `${folder}, a folder for media, cannot be made or used (${code}). Give the account that runs Spoor the right to write there.`
    throw new OperatorError(sentence, { cause: error })
  }
}

/** Removes the files in it. */
export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await onDisk(readdir(folder))) await onDisk(rm(join(folder, name), { force: true }))
}
