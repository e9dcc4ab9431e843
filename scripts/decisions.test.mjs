import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/design/decisions')
const index = readFileSync(join(folder, 'README.md'), 'utf8')

const NOT_OURS = new Set(['node_modules', '.git', '.spoor', 'data', 'coverage'])
/** @returns {string[]} paths of all files below `path`, with a slash in front; folders end with a slash */
function filesBelow(path = '') {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return []
    const child = `${path}/${entry.name}`
    return entry.isDirectory() ? [`${child}/`].concat(filesBelow(child)) : child
  })
}

const records = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const lineOf = (/** @type {string} */ label) => new RegExp(`^${label}: (.+)$`, 'm').exec(text)?.[1] ?? ''
    return { name, number: name.slice(0, 4), text, status: lineOf('Status'), date: lineOf('Date') }
  })

test('each record has its number in its title, a status and a date', () => {
  for (const { name, number, text, status, date } of records) {
    assert.match(name, /^\d{4}-[a-z0-9-]+\.md$/)
    assert.ok(text.startsWith(`# ${number}. `), name)
    assert.match(status, /^(accepted|superseded by|superseded in part by .+\(.+\))/, name)
    assert.match(date, /^\d{4}-\d\d-\d\d$/, name)
  }
})

test('numbers are used once and without gaps, but for those that the index lists as not used', () => {
  const used = records.map(({ number }) => number)
  const unused = [...index.matchAll(/^- (\d{4}) was not used\.$/gm)].map((match) => match[1] ?? '')
  const numbers = [...used, ...unused].toSorted()
  assert.deepEqual(
    numbers,
    numbers.map((_, place) => String(place + 1).padStart(4, '0')),
  )
})

test('every status names records that exist, and what supersedes a record says so', () => {
  for (const { name, number, status } of records) {
    for (const [, other] of status.matchAll(/\[(\d{4})\]/g)) {
      const named = records.find((record) => record.number === other)
      assert.ok(named !== undefined, `${name}: there is no ${other}`)
    }
    for (const [clause] of status.matchAll(/superseded[^;]*/g))
      for (const [, other] of clause.matchAll(/\[(\d{4})\]/g)) {
        const later = records.find((record) => record.number === other)
        assert.match(later?.status ?? '', new RegExp(`supersedes [^;]*\\[${number}\\]`), `${other} supersedes ${name}`)
      }
  }
})

test('files that a record names exist, unless the whole record is superseded', () => {
  const files = filesBelow()
  for (const { name, status, text } of records) {
    if (status.startsWith('superseded by')) continue
    const named = [...text.matchAll(/`([\w.@/-]+(?:\.(?:ts|tsx|mjs|sql)|\w\/))`/g)].map((match) => match[1] ?? '')
    const missing = named.filter((path) => !files.some((file) => file.endsWith(`/${path}`)))
    assert.deepEqual(missing, [], name)
  }
})

test('the index lists every record in one line: title, kind of status, date', () => {
  const lines = index.split('\n').filter((line) => /^- \[\d{4}\]/.test(line))
  const expected = records.map(({ name, number, text, status, date }) => {
    const title = text.slice(0, text.indexOf('\n')).replace(`# ${number}. `, '')
    return `- [${number}](${name}): ${title}. ${shortStatus(status)}, ${date}`
  })
  assert.deepEqual(lines, expected)
})

/**
 * @param {string} status of a record
 * @returns {string} `accepted`, or `superseded` with the numbers of the later records; the record has the rest
 */
function shortStatus(status) {
  const [, part = '', later = ''] = /superseded (in part )?by ([^;]*)/.exec(status) ?? []
  const numbers = [...later.matchAll(/\[(\d{4})\]/g)].map((match) => match[1])
  return numbers.length === 0 ? 'accepted' : `superseded ${part}by ${numbers.join(', ')}`
}
