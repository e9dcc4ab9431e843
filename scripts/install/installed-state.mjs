// Runs on Node 20 and later, before anything is installed: no dependencies.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether node_modules has the packages of the lockfile.
 *
 * The fast check is a stamp: the hash of all inputs of an install, written after the install was verified. Without a
 * matching stamp, package-lock.json is compared with node_modules/.package-lock.json, which npm writes at the end of an
 * install, so that a manual `npm install` counts too.
 */

/** @param {string} root */
const stampPath = (root) => join(root, 'node_modules/.spoor-installed')
/** @param {string} root */
const unfinishedPath = (root) => join(root, 'node_modules/.spoor-installing')

/** Behind the stamp of an install without development packages. */
const WITHOUT_DEV = ' without development packages'

/**
 * @param {string} root
 * @param {boolean} withDev
 */
export function isStamped(root, withDev) {
  const [stamp, all] = [readOrNull(stampPath(root)), fingerprint(root)]
  return stamp === all || (!withDev && stamp === all + WITHOUT_DEV)
}

/**
 * @param {string} root
 * @param {boolean} withDev
 */
export function markInstalled(root, withDev) {
  writeFileSync(stampPath(root), fingerprint(root) + (withDev ? '' : WITHOUT_DEV))
  rmSync(unfinishedPath(root), { force: true })
}

/**
 * Called before npm changes node_modules. Removes the rest of an interrupted install, because npm would accept a
 * package that was only partly extracted.
 * @param {string} root
 */
export function markUnfinished(root) {
  const folder = join(root, 'node_modules')
  if (isUnfinished(root)) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(unfinishedPath(root), '')
  rmSync(stampPath(root), { force: true })
}

/** @param {string} root */
export function isUnfinished(root) {
  const folder = join(root, 'node_modules')
  return existsSync(unfinishedPath(root)) || (existsSync(folder) && !existsSync(join(folder, '.package-lock.json')))
}

/** @param {string} root */
export function hasLockfile(root) {
  return existsSync(join(root, 'package-lock.json'))
}

/**
 * Includes the platform: a checkout shared between a container and its host needs different packages in each.
 * @param {string} root
 */
function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`)
  for (const file of hasLockfile(root) ? ['package-lock.json'] : manifests(root)) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/**
 * Every package.json of the workspaces, which are the inputs of an install without a lockfile.
 * @param {string} root
 */
function manifests(root) {
  const folder = join(root, 'packages')
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  return ['package.json', ...names.map((name) => `packages/${name}/package.json`)].filter((file) =>
    existsSync(join(root, file)),
  )
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, dev?: boolean,
 *   os?: string | string[], cpu?: string | string[] }} LockedPackage
 */

/**
 * @param {string} root
 * @param {boolean} withDev whether development packages must be there
 * @returns {boolean} false if there is no lockfile
 */
export function matchesLockfile(root, withDev) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const present = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (wanted === null || present === null) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true
    if (entry.optional === true && !isForThisPlatform(entry)) return true
    if (entry.dev === true && !withDev) return true
    if (entry.link === true) return existsSync(join(root, path))
    // A missing optional package is no error here: the packages that the service needs are checked by name.
    const there = present[path]
    if (there === undefined) return entry.optional === true
    return there.version === entry.version && there.integrity === entry.integrity && existsSync(join(root, path))
  })
}

/** @param {LockedPackage} entry */
function isForThisPlatform(entry) {
  /** @param {string | string[] | undefined} allowed @param {string} actual */
  const allows = (allowed, actual) => allowed === undefined || [allowed].flat().includes(actual)
  return allows(entry.os, process.platform) && allows(entry.cpu, process.arch)
}

/**
 * @param {string} path
 * @returns {Record<string, LockedPackage> | null} null if the file is missing or not written by npm
 */
function readPackages(path) {
  const text = readOrNull(path)
  if (text === null) return null
  try {
    return JSON.parse(text).packages ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** @param {string} path */
function readOrNull(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}
