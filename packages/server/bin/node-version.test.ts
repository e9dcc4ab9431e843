import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isGoodNode } from './node-version.mjs'

test('a Node without the security fixes of its line is refused, one with them or of a later line is not', () => {
  for (const version of ['20.20.2', '22.23.2', '24.0.0', '24.18.0', '25.9.0', '26.3.0', '26.5.0', '', 'x']) {
    assert.equal(isGoodNode(version), false, version)
  }
  for (const version of ['24.18.1', '24.18.2', '24.21.0', '26.5.1', '26.10.0', '27.0.0', '28.1.0-nightly']) {
    assert.equal(isGoodNode(version), true, version)
  }
})

test('every runtime that npm installs is one that the service starts on, and names its licence', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'))
  const runtimes = Object.entries<string>(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'))
  assert.equal(runtimes.length, 4)
  for (const [name, version] of runtimes) {
    assert.ok(isGoodNode(version), `${name}@${version}`)
    const locked = lock.packages[`node_modules/${name}`]
    assert.equal(locked.version, version, name)
    assert.equal(locked.license, 'MIT', name)
  }
})
