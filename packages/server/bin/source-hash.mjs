// Plain JavaScript for Node 20 and later.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** In a built folder: the hash of its sources. */
export const STAMP_FILE = '.source-hash'

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '..')
const ROOT = join(SERVER, '../..')
const SOURCE = /(?<![.]test|[.]test-support|[.]conformance)[.]ts$/

/** The program that `scripts/build.mjs` builds. A stale build is not used. */
export const BUILT_SERVER = join(SERVER, 'dist')

/**
 * The built program if it was built from the current sources, else the sources themselves, which take twice as long to
 * load.
 * @returns {string} absolute path of a module to run with Node 24
 */
export function findProgram() {
  const built = builtFrom(BUILT_SERVER)
  return built !== null && built === hashServerSources() ? join(BUILT_SERVER, 'main.mjs') : join(SERVER, 'src/main.ts')
}

/**
 * @param {string} folder
 * @returns {string | null} hash of the sources that the folder was built from; null if it was not built
 */
export function builtFrom(folder) {
  const path = join(folder, STAMP_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

export function hashServerSources() {
  return hashFiles([
    'package-lock.json',
    'packages/server/bundle.mjs',
    ...['server', 'contract', 'payloads', 'clustering'].flatMap((name) => filesBelow(`packages/${name}/src`, SOURCE)),
  ])
}

/** @param {readonly string[]} files relative to the root of the repository */
export function hashFiles(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(ROOT, file)))
      .update('\n')
  return hash.digest('hex')
}

/**
 * @param {string} folder relative to the root of the repository
 * @param {RegExp} wanted what the name of a file must match
 * @returns {string[]} relative to the root of the repository, sorted
 */
export function filesBelow(folder, wanted) {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort()
}
