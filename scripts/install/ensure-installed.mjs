// Runs on Node 20 and later, before anything is installed: no dependencies.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock } from './install-lock.mjs'
import { formatElapsed, startHeartbeat } from './install-progress.mjs'
import { InstallFailure } from './install-failure.mjs'
import {
  hasLockfile,
  isStamped,
  isUnfinished,
  markInstalled,
  markUnfinished,
  matchesLockfile,
} from './installed-state.mjs'
import {
  SUPPORTED_PLATFORMS,
  missingPlatformPackages,
  packagesFor,
  thisMachine,
  wantedVersion,
} from './platform-packages.mjs'
import { installAll, installSingly } from './run-npm.mjs'
import { REQUIRED_NODE } from '../../packages/server/bin/node-version.mjs'

export { InstallFailure }

const LOOK_AGAIN_MS = 500

const DIFFERENT_VERSIONS =
  'npm installed other versions than package-lock.json names: package.json and package-lock.json do not fit together. Undo local changes to them, or run npm install to bring the lockfile up to date.'

/**
 * Installs the packages of the lockfile. Reports progress on standard error; silent if there is nothing to do. Several
 * may run at once in one checkout: one installs and the others wait.
 * @param {string} root
 * @param {boolean} withDev whether development packages are needed too; if they are there, they stay
 * @returns {Promise<'present' | 'installed'>}
 * @throws {InstallFailure} its message says what to do
 */
export async function ensureInstalled(root, withDev) {
  const lockPath = join(root, '.spoor/install.lock')
  // While the lock exists, node_modules may be incomplete.
  if (!existsSync(lockPath) && isStamped(root, withDev)) return 'present'
  const machine = thisMachine()
  const packages = packagesFor(machine)
  if (packages === null) throw new InstallFailure(unsupportedPlatform(machine))
  const lock = await waitForLock(lockPath)
  try {
    if (isStamped(root, withDev)) return 'present'
    const missing = () => missingPlatformPackages(root, packages, systemNode())
    const wasPresent = !isUnfinished(root) && matchesLockfile(root, withDev) && missing().length === 0
    if (!wasPresent) {
      markUnfinished(root)
      await installAll(root, lock, withDev)
      if (missing().length > 0) await installMissing(root, lock, withDev, missing())
      if (missing().length > 0) throw new InstallFailure(missingAfterInstall(missing()))
      if (hasLockfile(root) && !matchesLockfile(root, withDev)) throw new InstallFailure(DIFFERENT_VERSIONS)
    }
    markInstalled(root, withDev)
    return wasPresent ? 'present' : 'installed'
  } finally {
    lock.release()
  }
}

/**
 * @param {string} root
 * @param {import('./run-npm.mjs').LockHandle} lock
 * @param {boolean} withDev
 * @param {{ name: string }[]} missing
 */
async function installMissing(root, lock, withDev, missing) {
  const specifiers = missing.flatMap(({ name }) => {
    const version = wantedVersion(root, name)
    return version === null ? [] : [`${name}@${version}`]
  })
  if (specifiers.length > 0) await installSingly(root, lock, withDev, specifiers)
}

/** @param {string} path */
async function waitForLock(path) {
  let heartbeat = null
  try {
    for (;;) {
      const lock = tryLock(path)
      if ('release' in lock) return lock
      if (heartbeat === null) {
        const holder = lock.heldBy === null ? '' : ` (process ${lock.heldBy.pids[0]})`
        console.error(`Another process is installing the packages${holder}; waiting for it.`)
        heartbeat = startHeartbeat({
          stream: process.stderr,
          describe: (elapsedMs) => `  still waiting, ${formatElapsed(elapsedMs)}`,
        })
      }
      await sleep(LOOK_AGAIN_MS)
    }
  } finally {
    heartbeat?.stop()
  }
}

/** The Node that runs this script may be the one in node_modules, which is the package and not the system's Node. */
function systemNode() {
  return process.execPath.includes(`${join('node_modules', 'node-')}`) ? null : process.versions.node
}

/** @param {import('./platform-packages.mjs').Machine} machine */
function unsupportedPlatform({ platform, arch, glibc }) {
  const libc = glibc ? '' : ' without glibc'
  return `Spoor does not run on ${platform} ${arch}${libc}: its storage engine chDB needs ${SUPPORTED_PLATFORMS}. On Windows use WSL 2; on Alpine a Debian-based image.`
}

/** @param {{ name: string, what: string }[]} missing */
function missingAfterInstall(missing) {
  return [
    `npm finished, but left out ${missing.map(({ name, what }) => `${what} (package ${name})`).join(' and ')}.`,
    'npm skips such packages when a registry of your own does not carry them or their download fails (npm config get registry).',
    `Put that right and run the same command again. Instead of its package, ${REQUIRED_NODE} on the PATH will do.`,
  ].join('\n')
}
