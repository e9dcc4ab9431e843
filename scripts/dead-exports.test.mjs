import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

// A canary: the tool for dead code, with our configuration, finds dead code in a small tree with the same structure.

const root = join(import.meta.dirname, '..')

const CLEAN_TREE = {
  'package.json': JSON.stringify({ name: 'canary', private: true, type: 'module', workspaces: ['packages/*'] }),
  'packages/server/package.json': JSON.stringify({ name: '@spoor/server', private: true, type: 'module' }),
  'packages/server/src/main.ts': "import { used } from './used.ts'\nused()\n",
  'packages/server/src/used.ts': 'export function used(): void {}\n',
  'scripts/run.mjs': "import './helper.mjs'\n",
  'scripts/helper.mjs': 'process.exitCode = 0\n',
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'spoor-dead-exports-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** @param {string} name @param {Record<string, string>} planted */
function knip(name, planted) {
  const folder = join(scratch, name)
  for (const [path, content] of Object.entries({ ...CLEAN_TREE, ...planted })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const file of ['knip.json', 'tsconfig.json']) cpSync(join(root, file), join(folder, file))
  return spawnSync(join(root, 'node_modules/.bin/knip'), ['--no-progress', '--no-config-hints'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  })
}

test('a clean tree is green', () => {
  const { status, stdout, stderr } = knip('clean', {})
  assert.equal(status, 0, stdout + stderr)
})

test('red: an export that nothing imports', () => {
  const { status, stdout } = knip('export', {
    'packages/server/src/used.ts': `${CLEAN_TREE['packages/server/src/used.ts']}export const deadExport = 1\n`,
  })
  assert.equal(status, 1)
  assert.match(stdout, /deadExport/)
})

test('red: an exported type that nothing imports', () => {
  const { status, stdout } = knip('type', {
    'packages/server/src/used.ts': `${CLEAN_TREE['packages/server/src/used.ts']}export type DeadType = 1\n`,
  })
  assert.equal(status, 1)
  assert.match(stdout, /DeadType/)
})

test('red: a file that nothing imports', () => {
  const { status, stdout } = knip('file', { 'packages/server/src/dead-file.ts': 'export const a = 1\n' })
  assert.equal(status, 1)
  assert.match(stdout, /dead-file[.]ts/)
})

test('red: a dependency that nothing imports', () => {
  const { status, stdout } = knip('dependency', {
    'packages/server/package.json': JSON.stringify({
      name: '@spoor/server',
      private: true,
      type: 'module',
      dependencies: { 'dead-dependency': '1.0.0' },
    }),
  })
  assert.equal(status, 1)
  assert.match(stdout, /dead-dependency/)
})
