import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutMarkdown } from './without-markdown.ts'

test('a preview has the words of Markdown without its signs', () => {
  assert.equal(withoutMarkdown('| week | free | pro | |---|--:|:-:| | 1 | 2 | 3 |'), 'week · free · pro · 1 · 2 · 3')
  assert.equal(withoutMarkdown('## Plan **now** ```ts let a'), 'Plan now  let a')
  assert.equal(withoutMarkdown('a | b, issue #4 and C# -- x'), 'a | b, issue #4 and C# -- x')
})
