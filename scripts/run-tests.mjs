// npm test: runs Node's test runner on every test file, or on the named ones:
// npm test -- packages/contract some/file.test.ts --test-name-pattern=cursor
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from '../packages/server/bin/find-node.mjs'
import { selectTests } from './testing/select-tests.mjs'

/** Files that start and kill services take minutes, but a hanging file must not block CI. */
const TEST_TIMEOUT_MS = 5 * 60_000

/**
 * Files below these need no process of their own: they open no store and no server. In one process they take a quarter
 * of the processor time.
 */
const TOGETHER = ['packages/clustering/', 'packages/contract/', 'packages/dashboard/', 'packages/server/src/lib/']

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = findNode()
if (node === null) fail('The tests need Node 24. Run them with npm test, which installs it.')

const selection = selectTests(root, process.cwd(), process.argv.slice(2))
if (selection.unknown.length > 0) fail(`No test file at ${selection.unknown.join(', ')}.`)
if (selection.files.length === 0) fail('There are no test files.')

const scratch = mkdtempSync(join(tmpdir(), 'spoor-tests-'))
const together = selection.files.filter((file) => TOGETHER.some((folder) => file.startsWith(folder)))
const alone = selection.files.filter((file) => !together.includes(file))
const runs = [
  ...(together.length > 0 ? [run('together', ['--test-isolation=none'], together)] : []),
  ...(alone.length > 0 ? [run('alone', [`--test-concurrency=${availableParallelism() + 1}`], alone)] : []),
]
rmSync(scratch, { recursive: true, force: true })
const failed = runs.find(({ status }) => status !== 0)
if (failed === undefined && runs.every(({ count }) => count === 0)) fail('No test ran: no test matches the selection.')
process.exitCode = failed === undefined ? 0 : (failed.status ?? 1)

/**
 * @param {string} name
 * @param {readonly string[]} flags
 * @param {readonly string[]} files
 */
function run(name, flags, files) {
  const countFile = join(scratch, name)
  const { status } = spawnSync(
    /** @type {string} */ (node),
    [
      '--test',
      ...flags,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(root, 'scripts/testing/count-reporter.mjs')}`,
      `--test-reporter-destination=${countFile}`,
      ...selection.flags,
      ...files,
    ],
    { cwd: root, stdio: 'inherit', env: testEnvironment() },
  )
  return { status, count: status === 0 ? Number(readFileSync(countFile, 'utf8')) : null }
}

function testEnvironment() {
  // A nested run would report to its parent instead of the user.
  const { NODE_TEST_CONTEXT: _parentRun, ...env } = process.env
  // Hundreds of processes load the same files: with a shared compile cache a service starts in half the time.
  return { ...env, UV_THREADPOOL_SIZE: '16', NODE_COMPILE_CACHE: join(scratch, 'compiled') }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
