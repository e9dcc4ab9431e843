import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isGoodNode } from './node-version.mjs'

test('a Node without the fixes of its line is refused, one with them or of a later line is not', () => {
  for (const version of ['20.20.2', '22.23.2', '24.0.0', '24.21.0', '25.9.0', '26.10.0', '26.12.0', '', 'x']) {
    assert.equal(isGoodNode(version, 'linux'), false, version)
  }
  for (const version of ['24.22.1', '24.22.3', '24.30.0', '26.12.1', '26.13.0', '27.0.0', '28.1.0-nightly']) {
    assert.equal(isGoodNode(version, 'linux'), true, version)
  }
})

test('macOS, for which npm has no later one, takes a Node with the security fixes', () => {
  for (const version of ['24.18.0', '25.9.0', '26.5.0']) assert.equal(isGoodNode(version, 'darwin'), false, version)
  for (const version of ['24.18.1', '24.21.0', '26.5.1']) assert.equal(isGoodNode(version, 'darwin'), true, version)
})

test('this Node reads a key with an escape after one with a backslash at the same place', () => {
  assert.deepEqual(Object.keys(JSON.parse('{"a":1,"b\\\\":2}') as object), ['a', 'b\\'])
  assert.deepEqual(Object.keys(JSON.parse('{"a":1,"b\\n":2}') as object), ['a', 'b\n'])
})

test('every runtime that npm installs is one that the service starts on, and names its licence', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'))
  const runtimes = Object.entries<string>(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'))
  assert.equal(runtimes.length, 4)
  for (const [name, version] of runtimes) {
    assert.ok(isGoodNode(version, name.includes('darwin') ? 'darwin' : 'linux'), `${name}@${version}`)
    const locked = lock.packages[`node_modules/${name}`]
    assert.equal(locked.version, version, name)
    assert.equal(locked.license, 'MIT', name)
  }
})
