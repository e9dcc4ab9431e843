import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SPREAD_MS } from './archive-sql.ts'

export const ARCHIVE_FILE = 'archive.json'
/** Part of the folder's name. Change it whenever the generated data or its storage format changes. */
const REVISION = 9

/** A data directory filled by archive-process.ts. */
export interface Archive {
  readonly traces: number
  readonly startedAt: number
  /** Between two traces, milliseconds. */
  readonly intervalMs: number
  /** An API key of the project that has all the data. */
  readonly key: string
}

/**
 * The archive with that many traces under `storeDir`. Builds it if it does not exist, which takes minutes for a
 * million.
 */
export async function openArchive(
  storeDir: string,
  traces: number,
  intervalMs = SPREAD_MS,
): Promise<Archive & { readonly directory: string }> {
  const directory = join(storeDir, `archive-${REVISION}-${traces}-${intervalMs}`)
  if (!existsSync(join(directory, ARCHIVE_FILE))) {
    console.log(`building an archive of ${traces} traces in ${directory}`)
    const script = fileURLToPath(new URL('../workers/archive-process.ts', import.meta.url))
    const builder = spawn(process.execPath, [script, directory, String(traces), String(intervalMs)], {
      stdio: 'inherit',
      env: { ...process.env, UV_THREADPOOL_SIZE: '8' },
    })
    const [code] = (await once(builder, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the archive could not be built (exit code ${code})`)
  }
  return { ...(JSON.parse(readFileSync(join(directory, ARCHIVE_FILE), 'utf8')) as Archive), directory }
}
