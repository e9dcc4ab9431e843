import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { runSpoor } from '../lib/command.ts'

/** A data directory of before the first release (commit be23378), ended by `kill -9`. */
test('a data directory from before the first release is refused with a sentence, and keeps its files', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-upgrade-'))
  context.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const bytes = readFileSync(new URL('first-wave.tar.zst', import.meta.url))
  const unpacked = spawnSync('tar', ['-xpf', '-', '-C', dataDir], { input: zstdDecompressSync(bytes) })
  assert.equal(unpacked.status, 0, unpacked.stderr.toString())
  const before = readdirSync(dataDir).filter((name) => !/-(?:wal|shm)$/.test(name))
  const refused = await runSpoor(dataDir, ['serve', '--port', '0'])
  assert.notEqual(refused.code, 0)
  assert.match(refused.out + refused.error, /development version of Spoor from before its first release/)
  assert.doesNotMatch(refused.out + refused.error, /\n\s+at /)
  for (const name of before) assert.ok(readdirSync(dataDir).includes(name), name)
})
