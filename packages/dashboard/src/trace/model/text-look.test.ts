import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textLookOf } from './text-look.ts'

test('only what a model wrote is Markdown, and what a tool gave has letters of one width', () => {
  const looks = ['assistant', 'user', 'system', 'developer', 'tool', 'function', 'anything'].map((role) => [
    textLookOf(role, true),
    textLookOf(role, false),
  ])
  const text = ['text', 'text']
  assert.deepEqual(looks, [['markdown', 'text'], text, text, text, ['code', 'code'], ['code', 'code'], text])
})
