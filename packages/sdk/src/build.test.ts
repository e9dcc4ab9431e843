import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'rolldown'

/** Present size of the recorder with its imports, minified. The aim is 14,000. */
const RECORDER_BYTES = 26_900

test('the published JavaScript and types use no other package', async (context) => {
  const output = join(mkdtempSync(join(tmpdir(), 'spoor-sdk-')), 'dist')
  context.after(() => rmSync(join(output, '..'), { recursive: true, force: true }))
  const compiled = spawnSync(process.execPath, [join(import.meta.dirname, '../build.mjs'), output], {
    encoding: 'utf8',
  })
  assert.equal(compiled.status, 0, compiled.stdout + compiled.stderr)
  const files = readdirSync(output, { recursive: true, encoding: 'utf8' })
  const needed = [
    'index.js',
    'index.d.ts',
    'client/client.js',
    'client/client.d.ts',
    'package.json',
    'README.md',
    'LICENSE',
  ]
  for (const file of needed) assert.ok(files.includes(file), file)
  for (const file of files.filter((name) => /[.](js|ts)$/.test(name))) {
    const imported = readFileSync(join(output, file), 'utf8').matchAll(/from '([^']+)'/g)
    // The compiler keeps .ts in types and resolves it to the .d.ts next to them.
    for (const [, from] of imported) assert.match(String(from), /^[.]{1,2}\/[a-z/-]+[.](js|ts)$/, file)
  }
  const manifest = JSON.parse(readFileSync(join(output, 'package.json'), 'utf8')) as Record<string, unknown>
  assert.deepEqual([manifest['private'], manifest['dependencies']], [undefined, undefined])
  assert.deepEqual(manifest['exports'], {
    '.': { types: './index.d.ts', default: './index.js' },
    './client': { types: './client/client.d.ts', default: './client/client.js' },
  })
  const client = (await import(join(output, 'client/client.js'))) as Record<string, unknown>
  assert.deepEqual(Object.keys(client).sort(), ['ApiError', 'createClient'])
  const built = (await import(join(output, 'index.js'))) as Record<string, unknown>
  assert.deepEqual(Object.keys(built).sort(), [
    'WebhookVerificationError',
    'createRecorder',
    'verifyServiceSignature',
    'verifyWebhook',
  ])
  const bundle = await build({
    input: join(output, 'recorder/create-recorder.js'),
    output: { minify: true, format: 'esm' },
    write: false,
  })
  assert.deepEqual(bundle.output.length, 1)
  const bytes = Buffer.byteLength(bundle.output[0].code)
  assert.ok(bytes <= RECORDER_BYTES, `the recorder has ${bytes} bytes`)
  context.diagnostic(`the recorder has ${bytes} bytes minified`)
})
