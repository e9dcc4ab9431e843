import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { Service } from '../lib/service.ts'
import { ANSWERS_FILE, makeStore, readBody, readMedium, type StoreAnswers } from './store-content.ts'

const MOST_BYTES = 200 * 1024

/** Stores of releases, made by make-store.ts. They must open for ever. */
for (const path of globSync(join(import.meta.dirname, '[0-9]*.tar.zst'))) {
  test(`a store of ${basename(path, '.tar.zst')} opens and answers as it did`, (context) =>
    opens(context, readFileSync(path)))
}

test('a store of this version that was killed and packed opens and answers as it did', async (context) => {
  const bytes = await makeStore(folderFor(context))
  assert.ok(bytes.length <= MOST_BYTES, `${bytes.length} bytes`)
  await opens(context, bytes)
})

async function opens(context: TestContext, bytes: Buffer): Promise<void> {
  const dataDir = folderFor(context)
  const unpacked = spawnSync('tar', ['-xpf', '-', '-C', dataDir], { input: zstdDecompressSync(bytes) })
  assert.equal(unpacked.status, 0, unpacked.stderr.toString())
  const { key, bodies, medium } = JSON.parse(readFileSync(join(dataDir, ANSWERS_FILE), 'utf8')) as StoreAnswers
  await using service = await Service.start({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: key } })
  assert.ok(Object.keys(bodies).length > 30)
  for (const [path, body] of Object.entries(bodies))
    assert.partialDeepStrictEqual(await readBody(service.client, path), body, path)
  assert.equal(await readMedium(service.client, medium.uri), medium.text)
}

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-released-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
