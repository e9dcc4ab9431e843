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
 * Allows one install at a time in one checkout. The lock is a file with the ids of its holders: the process that took
 * it and npm while it runs, so that an npm whose parent was killed still counts. It is stale when no holder is alive.
 * Processes of another host (a checkout on a shared disk, a container) cannot be checked; for them the age of the file
 * decides, which the holder renews with `touch`.
 */

const FOREIGN_STALE_AFTER_MS = 60_000
/** The time that a holder has to write its id into a new file. */
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
 * If two processes find the same stale lock, the slower one must not remove the new lock of the faster one. So the lock
 * is checked again and removed under a second, very short lock.
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
    // EPERM: it is alive and belongs to another user.
    return codeOf(error) === 'EPERM'
  }
}

/**
 * @param {string} path
 * @param {number[]} pids
 * @returns {boolean} false if the file already exists
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
 * @returns {Holder | null} null if it does not exist or is not yet written
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
