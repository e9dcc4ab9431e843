import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLineKeys } from './line-keys.ts'
import { OccurrenceCounter } from './occurrence-counter.ts'

const lines = fc.array(
  fc.integer({ min: 0, max: 5 }).map((value) => Buffer.from(`{"name":"${value}"}`)),
  { maxLength: 30 },
)

test('the same file gets the same keys, and each of its lines a different one', () => {
  fc.assert(
    fc.property(lines, (file) => {
      const keys = file.map(createLineKeys(null))
      assert.deepEqual(file.map(createLineKeys(null)), keys)
      assert.equal(new Set(keys).size, file.length)
    }),
  )
})

test('a key does not depend on the order of the lines, nor on later lines', () => {
  fc.assert(
    fc.property(lines, lines, (file, more) => {
      const keys = new Set(file.map(createLineKeys(null)))
      assert.deepEqual(new Set(file.toReversed().map(createLineKeys(null))), keys)
      const grown = new Set([...file, ...more].map(createLineKeys(null)))
      assert.ok(keys.isSubsetOf(grown))
    }),
  )
})

test('imports with different ids share no key', () => {
  const line = Buffer.from('{"name":"a"}')
  const digest = hash('sha256', line)
  assert.equal(createLineKeys(null)(line), `import-${digest}-1`)
  assert.equal(createLineKeys('b')(line), `import-b-${digest}-1`)
})

test('occurrences are counted correctly through many growths, the same as by a Map', () => {
  const counter = new OccurrenceCounter()
  const expected = new Map<number, number>()
  for (let index = 0; index < 40_000; index++) {
    const value = index % 13_001
    const count = (expected.get(value) ?? 0) + 1
    expected.set(value, count)
    assert.equal(counter.count(hash('sha256', String(value), 'buffer')), count)
  }
})

test('a hash that begins with zeros is handled like any other', () => {
  const counter = new OccurrenceCounter()
  assert.deepEqual([counter.count(Buffer.alloc(32)), counter.count(Buffer.alloc(32))], [1, 2])
})
