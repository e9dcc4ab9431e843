import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactJson } from './compact-json.ts'
import { jsonText } from './json-arbitraries.test-support.ts'

test('removes white space outside strings and nothing else', () => {
  assert.equal(compactJson(' { "a b" : [ 1.0 , "\\" x" ] }\n'), '{"a b":[1.0,"\\" x"]}')
  fc.assert(
    fc.property(jsonText, (text) => {
      const compact = compactJson(text)
      assert.deepEqual(JSON.parse(compact), JSON.parse(text))
      assert.doesNotMatch(compact.replace(/"(?:[^"\\]|\\.)*"/g, ''), /\s/)
      assert.equal(compactJson(compact), compact)
    }),
  )
})
