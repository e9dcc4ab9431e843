import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { productionPackages } from './production-packages.mjs'
import { writeSelfExtracting } from './self-extracting.mjs'

const scratch = mkdtempSync(join(tmpdir(), 'spoor-bundle-'))
after(() => rmSync(scratch, { recursive: true }))

test('what a workspace needs to run: links, packages within packages, installed optional ones, no development', () => {
  const locked = {
    'packages/server': { dependencies: { one: '1', '@own/two': '1' }, devDependencies: { tool: '1' } },
    'packages/two': { dependencies: { shared: '2' } },
    'node_modules/@own/two': { link: true, resolved: 'packages/two' },
    'node_modules/one': {
      dependencies: { shared: '1' },
      optionalDependencies: { here: '1', elsewhere: '1', unknown: '1' },
    },
    'node_modules/one/node_modules/shared': {},
    'node_modules/shared': { dependencies: { one: '1' } },
    'node_modules/here': {},
    'node_modules/elsewhere': {},
    'node_modules/tool': {},
  }
  const isInstalled = (/** @type {string} */ path) => path !== 'node_modules/elsewhere'
  assert.deepEqual(productionPackages(locked, 'packages/server', isInstalled), [
    'node_modules/@own/two',
    'node_modules/here',
    'node_modules/one',
    'node_modules/one/node_modules/shared',
    'node_modules/shared',
    'packages/server',
    'packages/two',
  ])
  assert.throws(() => productionPackages(locked, 'packages/server', () => false), /is not installed/)
})

test('one file unpacks itself once and starts with its arguments; one that is cut off starts nothing', async () => {
  const folder = join(scratch, 'content')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/program'), '#!/bin/sh\necho "$(basename "$1")" "$2" "$3"\n')
  chmodSync(join(folder, 'bin/program'), 0o755)
  writeFileSync(join(folder, 'data'), 'line\n#!/bin/sh\n'.repeat(50_000))
  const path = join(scratch, 'it.run')
  await writeSelfExtracting({ path, name: 'it-1', folder, command: ['bin/program', 'data'] })
  /** @param {string[]} args */
  const run = (...args) => spawnSync('sh', [path, ...args], { cwd: tmpdir(), encoding: 'utf8' })

  const first = run()
  assert.deepEqual([first.status, first.stdout], [0, 'data serve \n'], first.stderr)
  assert.match(first.stderr, /^Unpacking to .*it-1, once\.\n$/)
  assert.equal(readFileSync(join(scratch, 'it-1/data'), 'utf8'), readFileSync(join(folder, 'data'), 'utf8'))
  const second = run('keys', 'a b')
  assert.deepEqual([second.status, second.stdout, second.stderr], [0, 'data keys a b\n', ''])

  rmSync(join(scratch, 'it-1'), { recursive: true })
  truncateSync(path, statSync(path).size - 100)
  const cut = run()
  assert.notEqual(cut.status, 0)
  assert.deepEqual([cut.stdout, existsSync(join(scratch, 'it-1'))], ['', false])
})
