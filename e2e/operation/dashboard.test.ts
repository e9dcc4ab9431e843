import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { Service } from '../lib/service.ts'

const BUILD = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))

test('all files of the build are served: the page, and everything that it refers to', async () => {
  const build = spawnSync(process.execPath, [BUILD, '--quiet'], { encoding: 'utf8' })
  assert.equal(build.status, 0, build.stderr)
  await using service = await Service.start()
  const anyone = service.client.as(null)
  const pages = [await anyone.get('/'), await anyone.get('/app/traces/x')]
  const nonces = pages.map(({ text }) => /nonce="([^"]+)"/.exec(text)?.[1] ?? '')
  assert.notEqual(nonces[0], nonces[1])
  for (const [at, { status, headers, text }] of pages.entries()) {
    const nonce = nonces[at] as string
    assert.deepEqual([status, Buffer.from(nonce, 'base64').length], [200, 16])
    assert.ok(String(headers['content-security-policy']).includes(`'nonce-${nonce}'`))
    assert.ok(!text.includes('%'), text)
    // The policy allows neither, and nothing from another host.
    assert.doesNotMatch(text, /<style|<script(?![^>]* src=)|="https?:|="\/\//)
  }
  const assets = [...(pages[0]?.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g) ?? [])].map(
    ([, path]) => path as string,
  )
  const kinds = assets.map((path) => /[.]\w+$/.exec(path)?.[0])
  // Its own script, and those that every screen needs.
  assert.deepEqual(
    kinds.filter((kind) => kind !== '.js'),
    ['.svg', '.css', '.woff2'],
  )
  assert.ok(kinds.includes('.js'))
  for (const path of assets) {
    const plain = await anyone.get(path)
    assert.equal(plain.status, 200, path)
    assert.match(String(plain.headers['cache-control']), /immutable/)
    // Those of fonts are compressed in themselves.
    if (plain.bytes.length < 1024 || path.endsWith('.woff2')) continue
    const small = await anyone.get(path, { 'accept-encoding': 'br' })
    assert.deepEqual(
      [small.headers['content-encoding'], small.headers['content-type']],
      ['br', plain.headers['content-type']],
    )
    assert.ok(brotliDecompressSync(small.bytes).equals(plain.bytes), path)
  }
  anyone.close()
})

test('a second build of the same files does nothing', () => {
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' })
  assert.deepEqual(
    [status, stderr],
    [
      0,
      ["The client's part of the contract", 'The dashboard', 'The server']
        .map((of) => `${of} is built and up to date.\n`)
        .join(''),
    ],
  )
})
