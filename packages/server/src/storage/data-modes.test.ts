import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OperatorError } from '../lib/operator-error.ts'
import { temporaryFolder } from './sql/temporary-store.test-support.ts'
import { checkDataModes, type DataAccess } from './data-modes.ts'

function dataFolder(context: TestContext, folderMode: number, keyMode = 0o600): string {
  const dataDir = join(temporaryFolder(context), "it's data")
  mkdirSync(dataDir)
  for (const name of ['secrets.key', 'signing.key']) {
    writeFileSync(join(dataDir, name), 'x')
    chmodSync(join(dataDir, name), keyMode)
  }
  chmodSync(dataDir, folderMode)
  return dataDir
}

function refusal(dataDir: string, access: DataAccess): string | null {
  try {
    checkDataModes(dataDir, access)
    return null
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error))
    return error.message
  }
}

test('folders and files that the service makes are accepted, and so is a folder made with umask 022', (context) => {
  for (const mode of [0o700, 0o750, 0o755]) assert.equal(refusal(dataFolder(context, mode), 'owner'), null)
  assert.equal(refusal(join(temporaryFolder(context), 'not there'), 'owner'), null)
})

test('a folder that others can write to and a key that others can read end the start; the suggested commands repair it', (context) => {
  for (const [folderMode, keyMode, lines] of [
    [0o777, 0o600, 1],
    [0o1777, 0o600, 1],
    [0o770, 0o600, 1],
    [0o702, 0o600, 1],
    [0o700, 0o644, 2],
    [0o700, 0o640, 2],
    [0o700, 0o604, 2],
    [0o777, 0o666, 3],
  ] as const) {
    const dataDir = dataFolder(context, folderMode, keyMode)
    const message = refusal(dataDir, 'owner') ?? assert.fail(`${folderMode.toString(8)} ${keyMode.toString(8)}`)
    const commands = [...message.matchAll(/Run: (chmod .*)$/gm)].map(([, command = '']) => command)
    assert.equal(commands.length, lines, message)
    for (const command of commands) execFileSync('sh', ['-c', command])
    assert.equal(refusal(dataDir, 'owner'), null, message)
  }
})

test('group access can be allowed, as a Kubernetes volume with fsGroup needs, and the check can be switched off', (context) => {
  const volume = dataFolder(context, 0o2775, 0o660)
  assert.match(refusal(volume, 'owner') ?? '', /SPOOR_DATA_ACCESS/)
  assert.equal(refusal(volume, 'group'), null)
  assert.match(refusal(dataFolder(context, 0o777), 'group') ?? '', /chmod o-w /)
  assert.match(refusal(dataFolder(context, 0o770, 0o664), 'group') ?? '', /chmod o-rwx /)
  assert.equal(refusal(dataFolder(context, 0o777, 0o666), 'unchecked'), null)
})
