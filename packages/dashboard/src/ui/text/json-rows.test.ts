import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { foundPaths } from './found-paths.ts'
import { CHILDREN, type JsonRow, jsonRows, NO_FOLDS, previewOf } from './json-rows.ts'

const paths = (rows: readonly JsonRow[]) => rows.map(({ path }) => path)

test('rows come in order with JSON Pointers, and small values are open', () => {
  const value = { 'a/b': 1, list: [true, { deep: { deeper: 1 } }], empty: {} }
  assert.deepEqual(paths(jsonRows(value, NO_FOLDS)), ['', '/a~1b', '/list', '/list/0', '/list/1', '/empty'])
  const toggled = new Set(['/list', '/list/1'])
  assert.deepEqual(paths(jsonRows(value, { ...NO_FOLDS, toggled })), ['', '/a~1b', '/list', '/empty'])
  assert.deepEqual(paths(jsonRows(value, { ...NO_FOLDS, toggled: new Set(['']) })), [''])
})

test('a huge array is shown in parts of a hundred', () => {
  const value = Array.from({ length: 1_000_000 }, (_, index) => index)
  const rows = jsonRows(value, NO_FOLDS)
  assert.equal(rows.length, CHILDREN + 2)
  assert.deepEqual(rows.at(-1), { kind: 'more', path: '/ more', depth: 1, of: '', left: 1_000_000 - CHILDREN })
  assert.equal(jsonRows(value, { ...NO_FOLDS, shown: new Map([['', 300]]) }).length, 302)
})

test('a value thousands deep opens completely without recursion', () => {
  let value: unknown = 'bottom'
  for (let depth = 0; depth < 5000; depth += 1) value = { a: value }
  assert.deepEqual(paths(jsonRows(value, NO_FOLDS)), ['', '/a', '/a/a'])
  const toggled = new Set(Array.from({ length: 5000 }, (_, depth) => '/a'.repeat(depth)).slice(2))
  assert.equal(jsonRows(value, { ...NO_FOLDS, toggled }).length, 5001)
})

test('an exact number is one line', () => {
  const value = parseExactJson('{"big":9007199254740993,"list":[1.0]}')
  assert.deepEqual(paths(jsonRows(value, NO_FOLDS)), ['', '/big', '/list', '/list/0'])
  assert.equal(previewOf(value as object, 80), 'big: 9007199254740993, list: […]')
})

test('a preview is always short', () => {
  assert.equal(previewOf({ a: 'x', b: [1], c: {}, d: null }, 80), 'a: "x", b: […], c: {…}, d: null')
  assert.ok(previewOf(Array(1e6).fill('y'.repeat(1e5)), 40).length <= 41)
})

test('containers with a match are open, also far down', () => {
  const list = Array.from({ length: 300 }, (_, index) => ({ deep: { text: index === 250 ? 'A Needle' : 'hay' } }))
  const found = foundPaths({ list }, 'needle')
  assert.deepEqual([...found.open], ['/list/250/deep', '/list/250', '/list', ''])
  const shown = paths(jsonRows({ list }, NO_FOLDS, found))
  assert.ok(shown.includes('/list/250/deep/text'))
  assert.ok(!shown.includes('/list/249/deep'))
  assert.equal(foundPaths({ list }, 'list').open.size, 0, 'names are not searched')
})
