import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ARCHIVE_FILE = 'archive.json'
/**
 * Beside the number of traces in the folder's name: another one for every change of what is generated or how it is
 * stored.
 */
const REVISION = 4

/** A data directory filled by archive-process.ts. */
export interface Archive {
  readonly traces: number
  readonly startedAt: number
  /** An API key of the project that holds everything. */
  readonly key: string
}

/**
 * The archive of that many traces under `storeDir`; built first when it is not there, which takes minutes for a
 * million.
 */
export async function openArchive(storeDir: string, traces: number): Promise<Archive & { readonly directory: string }> {
  const directory = join(storeDir, `archive-${REVISION}-${traces}`)
  if (!existsSync(join(directory, ARCHIVE_FILE))) {
    console.log(`building an archive of ${traces} traces in ${directory}`)
    const script = fileURLToPath(new URL('../workers/archive-process.ts', import.meta.url))
    const builder = spawn(process.execPath, [script, directory, String(traces)], {
      stdio: 'inherit',
      env: { ...process.env, UV_THREADPOOL_SIZE: '8' },
    })
    const [code] = (await once(builder, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the archive could not be built (exit code ${code})`)
  }
  return { ...(JSON.parse(readFileSync(join(directory, ARCHIVE_FILE), 'utf8')) as Archive), directory }
}
