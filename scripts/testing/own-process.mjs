import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Tests below these start processes, or leave global state behind. */
const FOLDERS = [
  'e2e/',
  'packages/sdk/src/build.test.ts',
  'packages/sdk/src/recorder/',
  'packages/server/bin/',
  'packages/server/src/main.test.ts',
  'scripts/',
]

/**
 * A process can open one store of chDB. Tests with the others wait for them, and so should not wait for one another.
 */
const MODULES = [
  'e2e/lib/service.ts',
  'e2e/lib/clickhouse/clickhouse-server.ts',
  'packages/server/src/storage/clickhouse/engine/chdb-engine.ts',
  'packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts',
]

/** Imports of types load nothing. */
const IMPORT = /^import type[^']*'[^']*'|from '(\.[^']+)'|import\('(\.[^']+)'\)/gm

/**
 * Whether a test file must not share a process with others, because of its folder or of a module that it imports.
 * @param {string} root of the repository
 * @returns {(file: string) => boolean} file relative to root
 */
export function needsOwnProcess(root) {
  /** @type {Map<string, boolean>} */
  const known = new Map(MODULES.map((path) => [join(root, path), true]))
  /** @type {(path: string) => boolean} */
  const reachesOne = (path) => {
    const answer = known.get(path)
    if (answer !== undefined) return answer
    known.set(path, false)
    const reaches = importsOf(path).some(reachesOne)
    known.set(path, reaches)
    return reaches
  }
  return (file) => FOLDERS.some((folder) => file.startsWith(folder)) || reachesOne(join(root, file))
}

/** @param {string} path */
function importsOf(path) {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)]
    .flatMap(([, stated, dynamic]) => stated ?? dynamic ?? [])
    .map((name) => join(dirname(path), name))
    .filter((imported) => existsSync(imported))
}
