import { open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../lib/error-code.ts'

/** Makes the content of a file durable, or which files a folder has. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the files of a folder durable, and which there are. */
export async function flushFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await syncPath(join(folder, name))
  await syncPath(folder)
}

/** Replaces a whole file, durably. When it rejects, the old or the new one exists. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
  await syncPath(dirname(path))
}

/** What is read of a file or folder, or `otherwise` when it does not exist. */
export async function ifThere<T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await reading
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise
    throw error
  }
}
