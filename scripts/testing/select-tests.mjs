import { readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const TEST_FILE = /\.test\.(ts|tsx|mts|mjs|js)$/
const TEST_FOLDERS = ['packages', 'scripts', 'e2e', 'bench', 'fixtures']
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', 'data'])

/**
 * Splits the arguments of npm test into flags of Node and test files; a folder stands for every test file in it.
 * @param {string} root of the repository
 * @param {string} cwd that named paths are relative to
 * @param {readonly string[]} given
 * @returns {{ flags: string[], files: string[], unknown: string[] }} files relative to root; all files if none is named
 */
export function selectTests(root, cwd, given) {
  /** @type {string[]} */
  const flags = []
  /** @type {string[]} */
  const unknown = []
  /** @type {Set<string>} */
  const files = new Set()
  for (const [index, argument] of given.entries()) {
    const path = [resolve(cwd, argument), resolve(root, argument)].find(exists)
    const isFlag = argument.startsWith('-')
    const previous = given[index - 1]
    const isValueOfFlag = previous !== undefined && /^--[^=]+$/.test(previous) && path === undefined
    if (isFlag || isValueOfFlag) flags.push(argument)
    else if (path === undefined) unknown.push(argument)
    else for (const file of testFilesAt(path)) files.add(relative(root, file))
  }
  const named = given.length > flags.length
  return { flags, unknown, files: named ? [...files].sort() : allTestFiles(root) }
}

/** @param {string} root */
function allTestFiles(root) {
  return TEST_FOLDERS.map((folder) => join(root, folder))
    .filter(exists)
    .flatMap((folder) => testFilesAt(folder))
    .map((file) => relative(root, file))
    .sort()
}

/**
 * @param {string} path
 * @returns {string[]} a file counts whatever its name
 */
function testFilesAt(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const child = join(path, entry.name)
    if (entry.isDirectory())
      return SKIPPED_FOLDERS.has(entry.name) || entry.name.startsWith('.') ? [] : testFilesAt(child)
    return entry.isFile() && TEST_FILE.test(entry.name) ? [child] : []
  })
}

/** @param {string} path */
function exists(path) {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
