import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of the files below a directory that contain a text. Files and folders that disappear are ignored. */
export function filesHolding(directory: string, text: string): string[] {
  const entries = unlessGone(() => readdirSync(directory, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesHolding(path, text)
    return entry.isFile() && unlessGone(() => readFileSync(path))?.includes(text) ? [path] : []
  })
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
