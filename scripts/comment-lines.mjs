// Part of npm run lint: a comment line has at most 120 characters. Prettier does not wrap comments, and oxlint has no
// rule for their length.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MOST_CHARACTERS = 120
/** A line of a comment, or a comment after code. */
const COMMENT = /^\s*(\/\/|\/\*|\*)|[;,(){}[\]] \/\/ /

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')
const found = sourceFiles(root).flatMap((path) => {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.flatMap((line, index) => (isTooLong(line) ? [`${path}:${index + 1}`] : []))
})
if (found.length > 0) {
  console.error(`${found.join('\n')}\n${found.length} comment line(s) with more than ${MOST_CHARACTERS} characters.`)
  process.exitCode = 1
}

/**
 * @param {string} folder a git work tree
 * @returns {string[]} TypeScript and *.mjs files, tracked or new
 */
function sourceFiles(folder) {
  const options = ['--cached', '--others', '--exclude-standard', '-z', '--', '*.ts', '*.tsx', '*.mjs']
  const listed = execFileSync('git', ['ls-files', ...options], { cwd: folder, encoding: 'utf8' }).split('\0')
  return [...new Set(listed)].filter((path) => path !== '' && existsSync(join(folder, path)))
}

/** @param {string} line */
function isTooLong(line) {
  return COMMENT.test(line) && [...line].length > MOST_CHARACTERS
}
