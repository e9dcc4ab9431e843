// npm test: runs Node's test runner on every test file, or on the named ones:
// npm test -- packages/contract some/file.test.ts --test-name-pattern=cursor
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findNode } from '../packages/server/bin/find-node.mjs'
import { buildTestPackages } from './building/build-test-packages.mjs'
import { needsOwnProcess } from './testing/own-process.mjs'
import { SERVER_VARIABLE, startPostgresql } from './testing/postgresql-server.mjs'
import { selectTests } from './testing/select-tests.mjs'

/** Files that start and kill services take minutes, but a hanging file must not block CI. */
const TEST_TIMEOUT_MS = 8 * 60_000

const DEAREST = 10

/** Files that run at once beyond one for each core: many wait for a browser, a service or a time. */
const MORE_THAN_CORES = 1

/** Files below these share one PostgreSQL, which takes seconds to start. */
const WITH_POSTGRESQL = [
  'packages/server/src/storage/cluster/',
  'packages/server/src/storage/sql/kit/',
  'packages/server/src/storage/sql/postgresql/',
]

/** Of memory, and of room in its file system, that must be free if tests write there. */
const FREE_BYTES = 8 * 1024 ** 3
const OF_MEMORY = '/dev/shm'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const RUN_TOGETHER = join(root, 'scripts/testing/run-together.mjs')
const node = findNode()
if (node === null) fail('The tests need Node 24. Run them with npm test, which installs it.')

const selection = selectTests(root, process.cwd(), process.argv.slice(2))
if (selection.unknown.length > 0) fail(`No test file at ${selection.unknown.join(', ')}.`)
if (selection.files.length === 0) fail('There are no test files.')

buildTestPackages()
process.env['TMPDIR'] ??= temporaryFolder()
const scratch = mkdtempSync(join(tmpdir(), 'spoor-tests-'))
const withPostgresql = selection.files.filter((file) => WITH_POSTGRESQL.some((folder) => file.startsWith(folder)))
// The tests themselves report that it is missing.
const postgresql = withPostgresql.length > 0 ? await startPostgresql() : 'no test needs it'
const isAlone = needsOwnProcess(root)
const alone = selection.files.filter(isAlone)
// In one process for each core they take less than half of the processor time.
const together = selection.files.filter((file) => !alone.includes(file))
const groups = Array.from({ length: availableParallelism() }, (_, group) =>
  together.filter((_file, index) => index % availableParallelism() === group),
).filter((files) => files.length > 0)
const runs = await Promise.all(groups.map((files, group) => run(`group-${group}`, [RUN_TOGETHER, ...files])))
if (alone.length > 0) {
  const concurrency = `--test-concurrency=${availableParallelism() + MORE_THAN_CORES}`
  runs.push(await run('alone', ['--test', concurrency, ...alone]))
}
if (typeof postgresql !== 'string') await postgresql.stop()
rmSync(scratch, { recursive: true, force: true })
const failed = runs.find(({ status }) => status !== 0)
if (failed === undefined && runs.every(({ count }) => count === 0)) fail('No test ran: no test matches the selection.')
printDearest(Object.assign({}, ...runs.map(({ files }) => files)))
process.exitCode = failed === undefined ? 0 : (failed.status ?? 1)

/**
 * @param {string} name
 * @param {readonly string[]} rest the flags and files of this run
 * @returns {Promise<{ status: number | null, count: number, files: Record<string, number> }>}
 */
async function run(name, rest) {
  const countFile = join(scratch, name)
  const child = spawn(
    /** @type {string} */ (node),
    [
      '--import',
      join(root, 'scripts/testing/without-async-hook.mjs'),
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(root, 'scripts/testing/count-reporter.mjs')}`,
      `--test-reporter-destination=${countFile}`,
      ...selection.flags,
      ...rest,
    ],
    { cwd: root, stdio: 'inherit', env: testEnvironment() },
  )
  const [status] = await once(child, 'exit')
  // A process that was killed has written none.
  const counted = existsSync(countFile) ? JSON.parse(readFileSync(countFile, 'utf8')) : { count: 0, files: {} }
  return { status, ...counted }
}

/**
 * Hundreds of stores are written and removed again: in memory that takes a tenth less processor time. Tests of full
 * disks and of lost power make disks of their own.
 */
function temporaryFolder() {
  if (!existsSync(OF_MEMORY) || freemem() < FREE_BYTES) return tmpdir()
  const { bavail, bsize } = statfsSync(OF_MEMORY)
  return bavail * bsize < FREE_BYTES ? tmpdir() : OF_MEMORY
}

/** @param {Record<string, number>} files how long the tests of each took, milliseconds */
function printDearest(files) {
  const dearest = Object.entries(files).sort(([, a], [, b]) => b - a)
  if (dearest.length <= DEAREST) return
  console.log(`The ${DEAREST} files whose tests took longest:`)
  for (const [file, ms] of dearest.slice(0, DEAREST)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}`)
  }
}

function testEnvironment() {
  // A nested run would report to its parent instead of the user.
  const { NODE_TEST_CONTEXT: _parentRun, NODE_OPTIONS: options = '', ...env } = process.env
  const bundled = `--import=${pathToFileURL(join(root, 'scripts/testing/bundled-packages.mjs'))}`
  const server = typeof postgresql === 'string' ? {} : { [SERVER_VARIABLE]: postgresql.url }
  return {
    ...env,
    ...server,
    UV_THREADPOOL_SIZE: '16',
    // Hundreds of processes load the same files: with a shared compile cache a service starts in half the time.
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
    NODE_OPTIONS: options.includes(bundled) ? options : `${options} ${bundled}`,
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
