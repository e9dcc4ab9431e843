import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from './commit-log-files.ts'

/** Makes the files of a folder durable, and which there are. */
export async function flushFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = await open(join(folder, name), 'r')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  }
  await syncDirectory(folder)
}
