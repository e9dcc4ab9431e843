import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { selectTests } from './select-tests.mjs'

const repository = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'spoor-run-tests-'))
after(() => rmSync(scratch, { recursive: true }))

/** @param {string} name @param {Record<string, string>} files */
function checkout(name, files) {
  const root = join(scratch, name)
  for (const folder of [
    'package-lock.json',
    'scripts/run-tests.mjs',
    'scripts/building',
    'scripts/testing',
    'packages/server/bin',
  ]) {
    cpSync(join(repository, folder), join(root, folder), {
      recursive: true,
      filter: (path) => !path.includes('.test.'),
    })
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

/** @param {string} root @param {string[]} args */
function npmTest(root, ...args) {
  // npm enables colours in a terminal.
  const env = { ...process.env, FORCE_COLOR: '0' }
  return spawnSync(process.execPath, [join(root, 'scripts/run-tests.mjs'), ...args], {
    cwd: root,
    encoding: 'utf8',
    env,
  })
}

const PASSING = "import { test } from 'node:test'\ntest('passing', () => {})\ntest('other', () => {})\n"
const FAILING = "import { test } from 'node:test'\ntest('failing', () => { throw new Error('no') })\n"

test('runs all test files and passes on the output of Node', () => {
  const root = checkout('all', {
    'packages/server/bin/a.test.ts': PASSING.replace('() => {}', '(): void => {}'),
    'packages/server/src/storage/clickhouse/engine/chdb-engine.ts': "import type { A } from './f.ts'\nexport {}\n",
    'packages/server/src/storage/clickhouse/engine/support.ts': "export * from './chdb-engine.ts'\n",
    'packages/server/src/storage/g.test.ts': `import {} from './clickhouse/engine/support.ts'\n${PASSING}`,
    'packages/server/src/storage/h.test.ts': `import type {} from './clickhouse/engine/support.ts'\n${PASSING}`,
    'scripts/b.test.mjs': PASSING,
    'e2e/deep/c.test.ts': PASSING,
    'packages/contract/src/e.test.ts': PASSING,
    'packages/server/src/lib/f.test.ts': PASSING,
    'packages/server/node_modules/x/d.test.ts': FAILING,
  })
  const { status, stdout, stderr } = npmTest(root)
  assert.equal(status, 0, stdout + stderr)
  const passed = [...stdout.matchAll(/ℹ pass (\d+)\n/g)].map(([, count]) => Number(count))
  assert.equal(passed.at(-1), 8, 'each in a process of its own')
  assert.equal(
    passed.reduce((sum, count) => sum + count, 0),
    14,
  )
})

test('a failing test fails the run', () => {
  const files = { 'e2e/a/a.test.ts': PASSING, 'e2e/a/b.test.ts': FAILING }
  const root = checkout('failing', { ...files, 'packages/contract/src/c.test.ts': FAILING })
  assert.equal(npmTest(root, 'packages/contract', 'e2e/a/a.test.ts').status, 1)
  assert.equal(npmTest(root).status, 1)
  assert.equal(npmTest(root, 'e2e/a/a.test.ts').status, 0)
})

test('in a shared process, tests wait for whatever they like, and a file that cannot be loaded fails the run', () => {
  const waiting = `import { test } from 'node:test'
await new Promise((resolve) => setTimeout(resolve, 100))
test('waiting', () => new Promise((resolve) => setTimeout(resolve, 200).unref()))
`
  // One for each process, so that the last file has one before it, whose tests could end while the last one loads.
  const first = Array.from({ length: availableParallelism() }, (_, at) => [
    `packages/contract/src/a${at}.test.ts`,
    PASSING,
  ])
  const root = checkout('waiting', { ...Object.fromEntries(first), 'packages/contract/src/b.test.ts': waiting })
  const { status, stdout, stderr } = npmTest(root)
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /✔ waiting/)
  const broken = checkout('broken', { 'packages/contract/src/a.test.ts': "throw new Error('not loaded')\n" })
  const refused = npmTest(broken)
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /Error: not loaded/)
})

test('an error outside every test fails the run, and its stack is printed', () => {
  const leaking = `import { test } from 'node:test'
test('leaking', () => new Promise((resolve) => {
  setTimeout(() => { throw new Error('leaked') })
  setTimeout(resolve, 50)
}))
`
  const root = checkout('leaking', { 'e2e/a/a.test.ts': leaking, 'packages/contract/src/c.test.ts': leaking })
  for (const path of ['e2e/a', 'packages/contract']) {
    const { status, stdout, stderr } = npmTest(root, path)
    assert.equal(status, 1)
    assert.match(stdout + stderr, /Error: leaked\n +at /)
  }
})

test('a run without a single test fails', () => {
  const root = checkout('none', { 'e2e/a/a.test.ts': PASSING })
  const filtered = npmTest(root, '--test-name-pattern', 'no such test')
  assert.equal(filtered.status, 1)
  assert.match(filtered.stderr, /No test ran/)
  assert.equal(npmTest(root, '--test-name-pattern', 'other').status, 0)
  const skipped = checkout('skipped', {
    'e2e/a/a.test.ts': "import { test } from 'node:test'\ntest.skip('x', () => {})\n",
  })
  assert.equal(npmTest(skipped).status, 1)
  const empty = npmTest(checkout('empty', {}))
  assert.equal(empty.status, 1)
  assert.match(empty.stderr, /There are no test files/)
  assert.match(npmTest(root, 'packages/typo').stderr, /No test file at packages\/typo/)
})

test('distinguishes files, folders, flags and values of flags', () => {
  const root = checkout('select', {
    'packages/a/src/a.test.ts': '',
    'packages/a/src/b.test.ts': '',
    'packages/a/src/c.ts': '',
  })
  const both = ['packages/a/src/a.test.ts', 'packages/a/src/b.test.ts']
  assert.deepEqual(selectTests(root, root, ['packages/a']), { flags: [], unknown: [], files: both })
  assert.deepEqual(selectTests(root, join(root, 'packages/a'), ['src/b.test.ts', '--test-only']), {
    flags: ['--test-only'],
    unknown: [],
    files: ['packages/a/src/b.test.ts'],
  })
  assert.deepEqual(selectTests(root, root, ['--test-name-pattern', 'cursor']), {
    flags: ['--test-name-pattern', 'cursor'],
    unknown: [],
    files: both,
  })
})
