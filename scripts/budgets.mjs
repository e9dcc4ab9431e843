// Part of npm run check: how many lines of product each folder may have. A change that needs more removes something
// else, or raises the budget here with a decision that says what the lines buy. Tests, their support, examples and
// generated files do not count.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Lines by folder. The first folder that a file is in counts it. */
const BUDGETS = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'))
const PRODUCT = /\.(ts|tsx|mjs|sql|css|py)$/
const NOT_BY_HAND = /\.(test|test-support|conformance)\.|\/(fixtures|tests?|dist)\/|src\/client\/generated\//

const root =
  process.argv.slice(2).find((one) => !one.startsWith('--')) ?? join(dirname(fileURLToPath(import.meta.url)), '..')
const options = ['--cached', '--others', '--exclude-standard', '-z', '--', 'packages']
const files = execFileSync('git', ['ls-files', ...options], { cwd: root, encoding: 'utf8' }).split('\0')
/** @type {Map<string, number>} */
const counted = new Map(Object.keys(BUDGETS).map((folder) => [folder, 0]))
for (const path of files) {
  if (!PRODUCT.test(path) || NOT_BY_HAND.test(path) || !existsSync(join(root, path))) continue
  const folder = Object.keys(BUDGETS).find((one) => path.startsWith(`${one}/`))
  if (folder === undefined) fail(`${path} is in no folder of scripts/budgets.json.`)
  else counted.set(folder, (counted.get(folder) ?? 0) + readFileSync(join(root, path), 'utf8').split('\n').length - 1)
}
for (const [folder, lines] of counted) {
  const most = BUDGETS[folder]
  if (lines > most) fail(`${folder} has ${lines} lines of product, ${lines - most} more than its budget.`)
}
if (process.argv.includes('--print')) {
  for (const [folder, lines] of counted) console.log(`${String(lines).padStart(7)} of ${BUDGETS[folder]}  ${folder}`)
  console.log(`${String([...counted.values()].reduce((sum, lines) => sum + lines, 0)).padStart(7)} in all`)
}

/** @param {string} sentence */
function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}
