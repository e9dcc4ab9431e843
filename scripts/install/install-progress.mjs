// Runs on Node 20 and later, before anything is installed: no dependencies.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** How often a log gets a line; a terminal rewrites one line every second. */
const LOG_EVERY_MS = 5_000
const TERMINAL_EVERY_MS = 1_000

/**
 * Reports progress every few seconds.
 * @param {{ stream: NodeJS.WriteStream, describe: (elapsedMs: number) => string }} options
 * @returns {{ stop(): void }}
 */
export function startHeartbeat({ stream, describe }) {
  const startedAt = Date.now()
  const everyMs = stream.isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS
  const beat = () => {
    const line = describe(Date.now() - startedAt)
    stream.write(stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`)
    // Measuring a large folder may take longer than the interval.
    timer = setTimeout(beat, everyMs)
  }
  let timer = setTimeout(beat, everyMs)
  return {
    stop() {
      clearTimeout(timer)
      if (stream.isTTY) stream.write('\r\x1b[2K')
    },
  }
}

/**
 * The bytes of all files below a folder that another process writes to. Files that disappear count as nothing. Read
 * synchronously: a thread pool may miss a wake-up (glibc bug 25847), and an install that ended would wait for ever.
 * @param {string} folder
 * @returns {number}
 */
export function folderBytes(folder) {
  const entries = orVanished(() => readdirSync(folder, { withFileTypes: true }), [])
  let bytes = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += folderBytes(path)
    else if (entry.isFile()) bytes += orVanished(() => lstatSync(path).size, 0)
  }
  return bytes
}

/**
 * @template T
 * @param {() => T} read
 * @param {T} instead
 * @returns {T}
 */
function orVanished(read, instead) {
  try {
    return read()
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return instead
    throw error
  }
}

/** @param {number} elapsedMs */
export function formatElapsed(elapsedMs) {
  const seconds = Math.round(elapsedMs / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}
