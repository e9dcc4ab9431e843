import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countRow, describeBroken, type ExportFile } from './export-ends.ts'

const ROW = '{"id":"tr_01h2xcejqtf2nbrexx3vqjhp41","from":0}'
const end = (rows: number) => `{"complete":true,"rows":${rows}}`

function fileOf(path: string, ...lines: readonly string[]): ExportFile {
  const file = { name: path, rows: 0, stated: null }
  for (const [at, line] of lines.entries()) {
    const isRow = countRow(file, { kind: 'line', number: at + 1, bytes: Buffer.from(line) })
    assert.equal(isRow, !/^\{"complete":true,"rows":\d+\}/.test(line), line)
  }
  return file
}

const TOGETHER = 'Import all files of an export together.'
const noEnd = (name: string) =>
  `${name} has no last line that calls its export complete: the export broke off, or lines were taken from it. ${TOGETHER}`

test('whole exports, also one without rows and several', () => {
  const files = [fileOf('a', ROW, ROW, end(2)), fileOf('b', end(0)), fileOf('c', ROW, `${end(1)} `)]
  assert.deepEqual(describeBroken(files), [])
  assert.deepEqual(describeBroken([]), [])
})

test('a file without its last line, with half of it, or with one that does not call it complete', () => {
  for (const lines of [
    [],
    [ROW, ROW],
    [ROW, '{"complete":true,"rows":'],
    [ROW, '{"complete":tr'],
    [ROW, '{"complete":false,"rows":1}'],
    [ROW, '{"complete":false}'],
  ]) {
    assert.deepEqual(describeBroken([fileOf('a', ...lines)]), [noEnd('a')])
    assert.deepEqual(describeBroken([fileOf('c', ...lines), fileOf('b', ROW, end(1))]), [noEnd('c')])
  }
})

test('a line that is too long is a row', () => {
  const file = fileOf('a')
  assert.equal(countRow(file, { kind: 'too_large', number: 1 }), true)
  countRow(file, { kind: 'line', number: 2, bytes: Buffer.from(end(1)) })
  assert.deepEqual(describeBroken([file]), [])
})

test('a file that lacks rows, or has more than its export', () => {
  const said = (rows: number) => [`a has another number of rows (${rows}) than its last line states (2). ${TOGETHER}`]
  assert.deepEqual(describeBroken([fileOf('a', ROW, end(2))]), said(1))
  assert.deepEqual(describeBroken([fileOf('a', ROW, ROW, ROW, end(2)), fileOf('b', ROW, end(1))]), said(3))
})

test('lines after the last line', () => {
  const said = ['a goes on after the line that ends an export. Give each export its own file.']
  for (const more of [ROW, end(1), '{"complete":false}'])
    assert.deepEqual(describeBroken([fileOf('a', ROW, end(1), more), fileOf('b', ROW, end(1))]), said)
})

test('files of one export are whole together, in any order and beside other exports', () => {
  const part = (name: string, at: number) => `${name}-0000${at}.jsonl`
  const parts = [fileOf(part('a', 1), ROW, ROW), fileOf(part('a', 2), ROW), fileOf(part('a', 3), end(3))]
  const other = [fileOf('b', ROW, end(1)), fileOf(part('c', 1), ROW), fileOf(part('c', 2), ROW, end(2))]
  assert.deepEqual(describeBroken(parts), [])
  assert.deepEqual(describeBroken([...parts.toReversed(), ...other]), [])
  const joined = fileOf('d', end(0), ROW)
  assert.match(describeBroken([joined, ...parts]).join(), /^d goes on[^,]*$/)
  assert.deepEqual(describeBroken(parts.slice(0, 2)), [noEnd(part('a', 1)), noEnd(part('a', 2))])
  const lacks = `${part('a', 3)} has another number of rows (0) than its last line states (3). ${TOGETHER}`
  assert.deepEqual(describeBroken(parts.slice(1)), [noEnd(part('a', 2)), lacks])
  assert.deepEqual(describeBroken([...parts, fileOf('e', ROW)]), [noEnd('e')])
  const [less, more] = [fileOf('f', ROW, ROW, end(3)), fileOf('g', ROW)]
  assert.equal(describeBroken([less, more]).length, 2, 'what one lacks is not what another has')
})
