import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'

/** A data directory of an older version, unpacked from a file of this folder. Removed when the test has ended. */
export function unpack(archive: string, context: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-upgrade-'))
  context.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const bytes = readFileSync(new URL(archive, import.meta.url))
  const unpacked = spawnSync('tar', ['-xpf', '-', '-C', dataDir], { input: zstdDecompressSync(bytes) })
  assert.equal(unpacked.status, 0, unpacked.stderr.toString())
  return dataDir
}

/** Everything that existed still exists, unchanged. There may be more fields. */
export function assertHolds(actual: unknown, expected: unknown, at: string): void {
  if (typeof expected !== 'object' || expected === null) return assert.deepEqual(actual, expected, at)
  assert.ok(typeof actual === 'object' && actual !== null, at)
  if (Array.isArray(expected)) assert.equal((actual as unknown[]).length, expected.length, at)
  for (const [name, value] of Object.entries(expected)) {
    assertHolds((actual as Record<string, unknown>)[name], value, `${at} ${name}`)
  }
}
