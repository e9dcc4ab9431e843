import assert from 'node:assert/strict'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError } from '../lib/operator-error.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { temporaryFolder } from './sql/temporary-store.test-support.ts'
import { openSigningKey } from './signing-key.ts'

test('a key is created once, for the own account only', (context) => {
  const folder = temporaryFolder(context)
  const key = openSigningKey(folder, systemRandomBytes)
  assert.equal(key.length, 32)
  assert.deepEqual(openSigningKey(folder, systemRandomBytes), key)
  assert.deepEqual(readdirSync(folder), ['signing.key'])
  assert.equal(statSync(join(folder, 'signing.key')).mode & 0o777, 0o600)
  rmSync(join(folder, 'signing.key'))
  assert.notDeepEqual(openSigningKey(folder, systemRandomBytes), key)
})

test('a broken file is not accepted as a key', (context) => {
  const folder = temporaryFolder(context)
  writeFileSync(join(folder, 'signing.key'), 'short')
  assert.throws(() => openSigningKey(folder, systemRandomBytes), OperatorError)
})
