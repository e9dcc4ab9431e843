// Runs on Node 20 and later, before anything is installed: no dependencies.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** How often a log gets a line; a terminal rewrites one line every second. */
const LOG_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 1_000

/**
 * Reports progress every few seconds.
 * @param {{ stream: NodeJS.WriteStream, describe: (elapsedMs: number) => Promise<string> }} options
 * @returns {{ stop(): Promise<void> }}
 */
export function startHeartbeat({ stream, describe }) {
  const startedAt = Date.now()
  let beat = Promise.resolve()
  let beating = false
  let stopped = false
  const timer = setInterval(
    () => {
      // Measuring a large folder may take longer than the interval.
      if (beating) return
      beating = true
      beat = describe(Date.now() - startedAt).then((line) => {
        beating = false
        if (!stopped) stream.write(stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`)
      })
    },
    stream.isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS,
  )
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await beat
      if (stream.isTTY) stream.write('\r\x1b[2K')
    },
  }
}

/**
 * The bytes of all files below a folder that another process writes to. Files that disappear count as nothing.
 * @param {string} folder
 * @returns {Promise<number>}
 */
export async function folderBytes(folder) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    ignoreVanished(/** @type {import('node:fs').Dirent[]} */ ([])),
  )
  let bytes = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(path)
    else if (entry.isFile()) bytes += await lstat(path).then((stats) => stats.size, ignoreVanished(0))
  }
  return bytes
}

/**
 * @template T
 * @param {T} instead
 */
function ignoreVanished(instead) {
  return (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead
    throw error
  }
}

/** @param {number} elapsedMs */
export function formatElapsed(elapsedMs) {
  const seconds = Math.round(elapsedMs / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}
