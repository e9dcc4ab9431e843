// Runs on Node 20 and later, before anything is installed: no dependencies.
import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { adviceFor, errorLines } from './install-advice.mjs'
import { InstallFailure } from './install-failure.mjs'
import { folderBytes, formatElapsed, startHeartbeat } from './install-progress.mjs'

/** The size of node_modules after an install; chDB's library has 570 MB, Node 190 MB. */
const bytesOf = (/** @type {boolean} */ withDev) => (withDev ? 1300e6 : 1050e6)
/** The output of npm is long and repetitive; its errors are at the end. */
const KEPT_OUTPUT_CHARACTERS = 200_000

/** @typedef {{ addProcess(pid: number): void, touch(): void }} LockHandle */

/**
 * Installs every package with the version and content of the lockfile, and looks up packages of this platform that the
 * lockfile does not have. `npm ci` cannot be used: it refuses a lockfile without the optional packages of all
 * platforms, and a lockfile has no packages that the registry did not have when it was written.
 * @param {string} root
 * @param {LockHandle} lock
 * @param {boolean} withDev
 * @throws {InstallFailure}
 */
export async function installAll(root, lock, withDev) {
  console.error(
    `Installing the packages with npm: about ${bytesOf(withDev) / 1e6} MB, most of it the storage engine, one to three minutes the first time.`,
  )
  await runNpm(root, lock, withDev, ['install', '--no-save'])
}

/**
 * Installs single packages: those of this platform that npm skipped because the lockfile does not have them
 * (npm/cli#4828).
 * @param {string} root
 * @param {LockHandle} lock
 * @param {boolean} withDev
 * @param {readonly string[]} specifiers `name@version`
 * @throws {InstallFailure}
 */
export async function installSingly(root, lock, withDev, specifiers) {
  console.error(`Installing packages of this platform that are not in the lockfile: ${specifiers.join(', ')}.`)
  await runNpm(root, lock, withDev, ['install', '--no-save', ...specifiers])
}

/**
 * Runs npm and shows a line of progress instead of its output.
 * @param {string} root
 * @param {LockHandle} lock
 * @param {boolean} withDev
 * @param {readonly string[]} command
 */
async function runNpm(root, lock, withDev, command) {
  const startedAt = Date.now()
  const heartbeat = startHeartbeat({
    stream: process.stderr,
    describe: (elapsedMs) => {
      lock.touch()
      const bytes = folderBytes(join(root, 'node_modules'))
      return `  ${formatElapsed(elapsedMs)}: ${Math.round(bytes / 1e6)} MB of about ${bytesOf(withDev) / 1e6} MB`
    },
  })
  let ended
  try {
    ended = await spawnNpm(root, [...command, withDev ? '--include=dev' : '--omit=dev'], lock)
  } finally {
    heartbeat.stop()
  }
  const { output, exitCode, signal } = ended
  if (signal !== null) {
    throw new InstallFailure(
      `Installing was stopped (${signal}). Run the same command again to start over.`,
      128 + (constants.signals[signal] ?? 0),
    )
  }
  if (exitCode !== 0) throw new InstallFailure(explain(root, withDev, output, exitCode))
  console.error(`Packages installed in ${formatElapsed(Date.now() - startedAt)}.`)
}

/**
 * @param {string} root
 * @param {readonly string[]} command
 * @param {LockHandle} lock
 * @returns {Promise<{ output: string, exitCode: number | null, signal: NodeJS.Signals | null }>}
 */
function spawnNpm(root, command, lock) {
  // No package needs an install script, so none runs. Node and chDB are optional packages.
  const npmArguments = [
    ...command,
    '--ignore-scripts',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--progress=false',
  ]
  const [file, prefix] = npmProgram()
  const npm = spawn(file, [...prefix, ...npmArguments], {
    cwd: root,
    env: npmEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (npm.pid !== undefined) lock.addProcess(npm.pid)
  let output = ''
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT_CHARACTERS)
  }
  npm.stdout.on('data', keep)
  npm.stderr.on('data', keep)
  /** @type {NodeJS.Signals | null} */
  let received = null
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    received = signal
    npm.kill(signal)
  }
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  for (const signal of signals) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    npm.once('error', (error) => {
      reject(
        new InstallFailure(
          `npm could not be run (${error.message}). Install npm 10 or later; it comes with Node 20 and newer.`,
        ),
      )
    })
    npm.once('close', (exitCode, signal) => {
      for (const each of signals) process.off(each, forward)
      resolve({ output, exitCode, signal: received ?? signal })
    })
  })
}

/**
 * The npm that runs this script, or the one on the PATH. Other package managers do not read package-lock.json.
 * @returns {[string, string[]]}
 */
function npmProgram() {
  const path = process.env.npm_execpath
  return path !== undefined && /^npm(-cli)?\.[cm]?js$/.test(basename(path)) ? [process.execPath, [path]] : ['npm', []]
}

/** Without the variables that npm sets for scripts: the inner npm would assume that it runs in one. */
function npmEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|command)/.test(name)),
  )
}

/**
 * @param {string} root
 * @param {boolean} withDev
 * @param {string} npmOutput
 * @param {number | null} exitCode
 */
function explain(root, withDev, npmOutput, exitCode) {
  const { bavail, bsize } = statfsSync(root)
  const npmVersion = /\bnpm\/(\d[^ ]*)/.exec(process.env.npm_config_user_agent ?? '')?.[1] ?? null
  const lines = errorLines(npmOutput)
  return [
    `npm install failed (exit code ${exitCode}):`,
    ...(lines.length > 0 ? lines : npmOutput.trim().split('\n').slice(-10)).map((line) => `  ${line}`),
    '',
    adviceFor({ npmOutput: lines.join('\n'), npmVersion, freeBytes: bavail * bsize, neededBytes: bytesOf(withDev) }),
  ].join('\n')
}
