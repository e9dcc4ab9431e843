// Runs on Node 20 and later, before anything is installed: no dependencies.
import {
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'

/**
 * One install at a time in one checkout. The lock is a file naming its holders: the process that took it and, while it
 * runs, npm itself, so that an npm whose parent was killed still counts. It is stale when none of them lives any more.
 * Processes of another host (a checkout on a shared disk, a container) cannot be asked; there its age decides, which
 * the holder keeps young with `touch`.
 */

const FOREIGN_STALE_AFTER_MS = 60_000
/** A file just created and not yet written names nobody; its holder needs this long at most. */
const UNWRITTEN_STALE_AFTER_MS = 10_000

/** @typedef {{ host: string, pids: number[] }} Holder */

/**
 * @param {string} path
 * @returns {{ addProcess(pid: number): void, touch(): void, release(): void } | { heldBy: Holder | null }}
 */
export function tryLock(path) {
  mkdirSync(dirname(path), { recursive: true })
  if (!createExclusively(path, [process.pid])) {
    if (!isStale(path)) return { heldBy: readHolder(path) }
    if (!removeStale(path) || !createExclusively(path, [process.pid])) return { heldBy: readHolder(path) }
  }
  return {
    addProcess: (pid) => writeFileSync(path, describe([process.pid, pid])),
    touch: () => utimesSync(path, new Date(), new Date()),
    release: () => rmSync(path, { force: true }),
  }
}

/**
 * Two that find the same stale lock must not remove the lock the faster one has just taken: looking again and removing
 * happen under a second, very short lock.
 * @param {string} path
 */
function removeStale(path) {
  const guard = `${path}.removing`
  if (!createExclusively(guard, [process.pid])) {
    if (ageMs(guard) > UNWRITTEN_STALE_AFTER_MS) rmSync(guard, { force: true })
    return false
  }
  try {
    if (!isStale(path)) return false
    rmSync(path, { force: true })
    return true
  } finally {
    rmSync(guard, { force: true })
  }
}

/** @param {string} path */
function isStale(path) {
  const holder = readHolder(path)
  if (holder === null) return ageMs(path) > UNWRITTEN_STALE_AFTER_MS
  if (holder.host !== hostname()) return ageMs(path) > FOREIGN_STALE_AFTER_MS
  return !holder.pids.some(isAlive)
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return codeOf(error) === 'EPERM'
  }
}

/**
 * @param {string} path
 * @param {number[]} pids
 * @returns {boolean} false when the file is there already
 */
function createExclusively(path, pids) {
  try {
    const file = openSync(path, 'wx')
    writeSync(file, describe(pids))
    closeSync(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** @param {number[]} pids */
const describe = (pids) => JSON.stringify({ host: hostname(), pids })

/**
 * @param {string} path
 * @returns {Holder | null} null while it is gone or not yet written
 */
function readHolder(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** @param {string} path */
function ageMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 0 : Date.now() - stats.mtimeMs
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : null)
