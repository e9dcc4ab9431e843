import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewOfInput, previewOfResult } from './tool-preview.ts'

test('arguments and results are one short line', () => {
  assert.equal(previewOfInput({ city: 'Oslo', days: 3, deep: { a: [1] } }), 'city: "Oslo", days: 3, deep: {"a":[1]}')
  assert.equal(previewOfInput('ls\n  -l'), 'ls -l')
  assert.equal(previewOfInput(undefined), '')
  assert.equal(previewOfResult([{ kind: 'text', text: 'a\nb' }]), 'a b')
  assert.equal(previewOfResult([]), 'nothing')
  assert.equal(previewOfResult([{ kind: 'text', text: 'x'.repeat(1e6) }]).length, 121)
})
