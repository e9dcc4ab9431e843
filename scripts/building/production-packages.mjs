import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, link?: boolean,
 *   resolved?: string }} LockedPackage
 */

/**
 * The folders of all packages that a workspace needs to run, by the lockfile: paths from the root, sorted. Optional
 * packages that are not installed here are left out. A workspace is the folder itself and its link.
 * @param {Record<string, LockedPackage>} locked `packages` of package-lock.json
 * @param {string} workspace its path, such as `packages/server`
 * @param {(path: string) => boolean} isInstalled
 * @returns {string[]}
 */
export function productionPackages(locked, workspace, isInstalled) {
  const found = new Set([workspace])
  for (const folder of found) {
    const { dependencies = {}, optionalDependencies = {} } = locked[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = pathOf(locked, folder, name)
      if (path === null || !isInstalled(path)) {
        if (name in optionalDependencies) continue
        throw new Error(`${name}, which ${folder} needs, is not installed`)
      }
      found.add(path)
      const { link, resolved } = locked[path] ?? {}
      if (link === true && resolved !== undefined) found.add(resolved)
    }
  }
  return [...found].sort()
}

/**
 * Where Node finds a package from a folder: the nearest `node_modules` above.
 * @param {Record<string, LockedPackage>} locked
 * @param {string} from
 * @param {string} name
 * @returns {string | null}
 */
function pathOf(locked, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = join(folder, 'node_modules', name)
    if (path in locked) return path
    if (folder === '') return null
  }
}

/** @param {string} root */
export const installedBelow = (root) => (/** @type {string} */ path) => existsSync(join(root, path))
