import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { filesBelow, hashFiles } from '../../packages/server/bin/source-hash.mjs'
import { buildFolder, ROOT } from './build-folder.mjs'

/** Compressing smaller files gains nothing. */
const COMPRESSED_FROM_BYTES = 1024
const NO_TEST = /(?<![.]test)[.]\w+$/

/** @param {{ quiet: boolean }} options */
export function buildDashboard({ quiet }) {
  const dashboard = join(ROOT, 'packages/dashboard')
  buildFolder({
    title: 'The dashboard',
    folder: join(dashboard, 'dist'),
    stamp: hashFiles([
      'package-lock.json',
      'scripts/building/build-dashboard.mjs',
      ...['index.html', 'package.json', 'vite.config.ts'].map((name) => `packages/dashboard/${name}`),
      ...filesBelow('packages/dashboard/src', NO_TEST),
      ...filesBelow('packages/contract/src', NO_TEST),
      ...filesBelow('packages/payloads/src', NO_TEST),
    ]),
    quiet,
    command: (scratch) => [
      join(ROOT, 'node_modules/vite/bin/vite.js'),
      'build',
      '--outDir',
      scratch,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ],
    cwd: dashboard,
    finish: (scratch) => {
      for (const name of readdirSync(join(scratch, 'assets'))) compress(join(scratch, 'assets', name))
    },
  })
}

/** @param {string} path */
function compress(path) {
  const bytes = readFileSync(path)
  if (bytes.length < COMPRESSED_FROM_BYTES) return
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  )
}
