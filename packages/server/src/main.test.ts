import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

test('a setting that is wrong ends a command on the stores with a sentence, not with a stack', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'projects', 'list'], {
    encoding: 'utf8',
    env: { SPOOR_DATA_DR: '/nowhere' },
  })
  assert.deepEqual(
    [status, stdout, stderr],
    [1, '', 'SPOOR_DATA_DR is not a variable of Spoor; did you mean SPOOR_DATA_DIR?\n'],
  )
})
