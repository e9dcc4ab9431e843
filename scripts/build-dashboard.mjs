// Called before start and test: builds the dashboard into packages/dashboard/dist unless what is there was made of the same files.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import { findNode } from '../packages/server/bin/find-node.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dashboard = join(root, 'packages/dashboard')
const built = join(dashboard, 'dist')
const stampPath = join(built, '.made-of')

/** Smaller ones gain nothing. */
const COMPRESSED_FROM_BYTES = 1024

const stamp = hashInputs()
if (!existsSync(stampPath) || readFileSync(stampPath, 'utf8') !== stamp) build()
else if (!process.argv.includes('--quiet')) console.error('The dashboard is built and up to date.')

function build() {
  // Several may build at once in one checkout: each in a folder of its own, and the last one stays.
  const scratch = join(dashboard, `.building-${process.pid}`)
  console.error('Building the dashboard …')
  const run = spawnSync(
    findNode() ?? process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', scratch, '--emptyOutDir', '--logLevel', 'warn'],
    { cwd: dashboard, stdio: ['ignore', 2, 2] },
  )
  if (run.status !== 0) {
    rmSync(scratch, { recursive: true, force: true })
    console.error('The dashboard could not be built: see above.')
    process.exit(run.status ?? 1)
  }
  for (const name of readdirSync(join(scratch, 'assets'))) compress(join(scratch, 'assets', name))
  writeFileSync(join(scratch, '.made-of'), stamp)
  const old = `${scratch}-old`
  if (existsSync(built)) renameSync(built, old)
  mkdirSync(dashboard, { recursive: true })
  renameSync(scratch, built)
  rmSync(old, { recursive: true, force: true })
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

function hashInputs() {
  const hash = createHash('sha256')
  const files = [
    'package-lock.json',
    'scripts/build-dashboard.mjs',
    ...['index.html', 'package.json', 'vite.config.ts'].map((name) => `packages/dashboard/${name}`),
    ...filesBelow('packages/dashboard/src'),
    ...filesBelow('packages/contract/src'),
  ]
  for (const file of files)
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(root, file)))
      .update('\n')
  return hash.digest('hex')
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile() && !/[.]test[.]ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}
