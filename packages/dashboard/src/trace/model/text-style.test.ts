import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textStyleOf } from './text-style.ts'

test('only model output is Markdown, and tool output is monospaced', () => {
  const styles = ['assistant', 'user', 'system', 'developer', 'tool', 'function', 'anything'].map((role) => [
    textStyleOf(role, true),
    textStyleOf(role, false),
  ])
  const text = ['text', 'text']
  assert.deepEqual(styles, [['markdown', 'text'], text, text, text, ['code', 'code'], ['code', 'code'], text])
})
