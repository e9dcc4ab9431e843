import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError } from '../lib/operator-error.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { temporaryFolder } from './sql/temporary-store.test-support.ts'
import { openSecretKey } from './secret-key.ts'

test('a key is created once, for the own account only, and only while no secret is stored', (context) => {
  const dataDir = temporaryFolder(context)
  const options = { dataDir, configured: null, randomBytes: systemRandomBytes }
  assert.throws(() => openSecretKey({ ...options, mayMake: false }), /secrets\.key is missing/)
  assert.deepEqual(readdirSync(dataDir), [])
  const key = openSecretKey({ ...options, mayMake: true })
  assert.equal(key.length, 32)
  assert.deepEqual(openSecretKey({ ...options, mayMake: false }), key)
  assert.equal(statSync(join(dataDir, 'secrets.key')).mode & 0o777, 0o600)
  writeFileSync(join(dataDir, 'secrets.key'), 'short')
  assert.throws(() => openSecretKey({ ...options, mayMake: true }), OperatorError)
})

test('a configured key overrides the file, which is not created then', (context) => {
  const dataDir = temporaryFolder(context)
  const configured = Buffer.alloc(32, 3)
  assert.equal(openSecretKey({ dataDir, configured, randomBytes: systemRandomBytes, mayMake: true }), configured)
  assert.deepEqual(readdirSync(dataDir), [])
})
