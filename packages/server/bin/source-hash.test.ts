import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type * as sourceHash from './source-hash.mjs'

test('the built program runs only while it matches the current sources', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'spoor-built-'))
  context.after(() => rmSync(root, { recursive: true }))
  const server = join(root, 'packages/server')
  cpSync(join(import.meta.dirname, 'source-hash.mjs'), join(server, 'bin/source-hash.mjs'))
  for (const folder of ['server', 'contract', 'payloads', 'clustering'])
    mkdirSync(join(root, 'packages', folder, 'src'), { recursive: true })
  writeFileSync(join(root, 'package-lock.json'), '{}')
  writeFileSync(join(server, 'bundle.mjs'), '')
  writeFileSync(join(server, 'src/main.ts'), 'first')
  const { findProgram, hashServerSources } = (await import(
    pathToFileURL(join(server, 'bin/source-hash.mjs')).href
  )) as typeof sourceHash

  const [sources, built] = [join(server, 'src/main.ts'), join(server, 'dist/main.mjs')]
  assert.equal(findProgram(), sources, 'nothing was built')
  mkdirSync(join(server, 'dist'))
  writeFileSync(join(server, 'dist/.source-hash'), hashServerSources())
  assert.equal(findProgram(), built)
  writeFileSync(join(server, 'src/main.test.ts'), 'a test is not a source of it')
  assert.equal(findProgram(), built)
  writeFileSync(join(root, 'packages/contract/src/ids.ts'), 'changed')
  assert.equal(findProgram(), sources, 'a package it imports has changed')
})
