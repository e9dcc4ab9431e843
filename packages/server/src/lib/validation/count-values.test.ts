import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countValues } from './count-values.ts'
import { jsonText } from '../json/json-arbitraries.test-support.ts'
import { JsonScanner } from '../json/json-scan.ts'

function countOf(text: string, most = Infinity): number {
  return countValues(new JsonScanner(Buffer.from(text), 64), most)
}

test('counts objects, arrays and everything in them', () => {
  assert.equal(countOf('1'), 1)
  assert.equal(countOf(' [] '), 1)
  assert.equal(countOf('{"a":[1,{"b":"x, [y]"},[]],"c":null}'), 7)
})

test('stops one above the maximum, however long the text is', () => {
  fc.assert(
    fc.property(jsonText, fc.nat(10), (text, most) => {
      assert.equal(countOf(text, most), Math.min(countOf(text), most + 1))
    }),
  )
  const scanner = new JsonScanner(Buffer.from(`[${'0,'.repeat(1000)}0]`), 64)
  assert.equal(countValues(scanner, 10), 11)
  assert.ok(scanner.position < 40, 'the rest is not looked at')
})
